import type { Meta, StoryObj } from '@storybook/react-vite'
import { useEffect, useState } from 'react'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { emptyView, type Todo, type TodoView } from 'use-todo-agent/core'
import {
  enLabels,
  TodoPanel,
  type TodoPanelData,
  type TodoPanelOptions,
  zhLabels,
} from 'use-todo-agent/panel'
import { createStore } from 'zustand/vanilla'
import {
  allDone,
  arabic,
  attack,
  chinese,
  corrected,
  exits,
  interrupted,
  long,
  many,
  plan,
  planDraft,
  working,
} from './panel/panelData.ts'
import { partDocs } from './parts/partDocs.ts'
import { rootProps } from './parts/rootProps.ts'
import './panel/panel.css'

// Storybook's types know no union of props: a story takes plain values, or renders the panel itself.
type Args = TodoPanelData & TodoPanelOptions

const meta = {
  title: 'TodoPanel',
  component: TodoPanel,
  decorators: [
    (Story, { parameters }) => (
      <div className="story-panel" style={{ maxInlineSize: parameters.width ?? 340 }}>
        <Story />
      </div>
    ),
  ],
  args: { todos: working },
  argTypes: partDocs('Root', 'section', rootProps),
} satisfies Meta<Args>

export default meta

type Story = StoryObj<Args>

/** The agent works. The current item alone is emphasised; finished ones say how long they took. */
export const Working: Story = {
  play: async ({ canvas }) => {
    const bar = canvas.getByRole('progressbar', { name: 'Todos' })
    await expect(bar).toHaveAttribute('aria-valuetext', '2 of 5')
    const rows = canvas.getAllByRole('listitem')
    await expect(rows).toHaveLength(5)
    await expect(rows[2]).toHaveAttribute('aria-current', 'step')
    await expect(rows[0]).toHaveTextContent('Done: Read the 200 orders4 s')
    await expect(rows[3]).toHaveTextContent('To do: Work out 17% of the total')
  },
}

export const WorkingDark: Story = {
  name: 'Working, dark',
  globals: { colorScheme: 'dark' },
}

/** The tools that work by id ask the model for a reason; the person can look it up. */
export const Reasons: Story = {
  args: { reasons: { 1: 'All 200 rows were read, none was empty', 2: 'Mean 72.8, median 56.42' } },
  play: async ({ canvas, userEvent }) => {
    const reasons = canvas.getAllByText('How it was finished')
    await expect(reasons).toHaveLength(2)
    await expect(canvas.getByText('Mean 72.8, median 56.42')).not.toBeVisible()
    await userEvent.click(reasons[1] as HTMLElement)
    await expect(canvas.getByText('Mean 72.8, median 56.42')).toBeVisible()
  },
}

/** The model gave a final answer over open items; the guard asked it to go on. */
export const GuardAtWork: Story = {
  name: 'Guard at work',
  args: { todos: corrected, run: { status: 'running', correction: { count: 1, max: 3, open: 2 } } },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Asked to continue').parentElement).toHaveTextContent(
      'Asked to continue · 2 still open · 1 of 3',
    )
  },
}

/** Plan mode: nothing has begun, two items are still being written, and the person decides. */
export const Plan: Story = {
  name: 'Plan, waiting for the person',
  args: {
    todos: plan,
    draft: planDraft,
    mode: 'plan',
    controls: { approvePlan: fn(), askForChanges: fn() },
  },
  play: async ({ args, canvas }) => {
    await expect(canvas.getByRole('region', { name: 'Plan' })).toBeVisible()
    await expect(canvas.getByText('4 steps')).toBeVisible()
    await expect(canvas.queryByRole('progressbar')).toBeNull()
    await expect(canvas.getAllByRole('listitem')[3]).toHaveTextContent('Being written: Write the rep')
    await userEvent.click(canvas.getByRole('button', { name: 'Approve plan' }))
    await expect(args.controls?.approvePlan).toHaveBeenCalledOnce()
    await userEvent.click(canvas.getByRole('button', { name: 'Ask for changes' }))
    await expect(args.controls?.askForChanges).toHaveBeenCalledOnce()
  },
}

/** A plan where the host handles no changes. */
export const PlanApproveOnly: Story = {
  name: 'Plan, approve alone',
  args: { todos: plan, mode: 'plan', controls: { approvePlan: fn() } },
  play: async ({ canvas }) => {
    await expect(canvas.queryByRole('button', { name: 'Ask for changes' })).toBeNull()
  },
}

/** The page went away in the middle of a run. What was in progress is paused. */
export const Interrupted: Story = {
  args: { todos: interrupted, run: { status: 'interrupted' }, controls: { resume: fn() } },
  play: async ({ args, canvas }) => {
    await expect(canvas.getAllByRole('listitem')[1]).toHaveTextContent('Group changes by packagepaused')
    await userEvent.click(canvas.getByRole('button', { name: 'Resume' }))
    await expect(args.controls?.resume).toHaveBeenCalledOnce()
  },
}

/** Honest exits: a blocked item stays in the total, a cancelled one leaves it, and each says why. */
export const EndedHonestly: Story = {
  name: 'Ended honestly',
  args: { todos: exits, run: { outcome: 'finished_with_open_todos' } },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Finished with 1 open')).toBeVisible()
    await expect(canvas.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '2 of 3')
    await expect(canvas.getByText('Needs an approval that only the owner can give')).toBeVisible()
  },
}

export const Done: Story = { args: { todos: allDone, run: { outcome: 'completed' } } }

export const Failed: Story = {
  args: {
    todos: interrupted,
    run: {
      outcome: 'failed',
      error: { code: 'model_unreachable', message: 'The model could not be reached: network error' },
    },
    controls: { resume: fn() },
  },
}

export const Stopped: Story = {
  args: { todos: interrupted, run: { outcome: 'stopped' }, controls: { resume: fn() } },
}

/** Every way a run can end, with what it left open. */
export const Outcomes: Story = {
  render: () => (
    <div className="story-stack">
      {Object.keys(enLabels.outcome).map((outcome) => (
        <TodoPanel
          key={outcome}
          title={outcome}
          todos={interrupted}
          run={{ outcome: outcome as keyof typeof enLabels.outcome }}
          defaultOpen={false}
        />
      ))}
    </div>
  ),
}

export const NotSaved: Story = {
  name: 'Not saved',
  args: { persistence: 'failed', persistenceDetail: 'The storage for this page is full.' },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Not saved').parentElement).toHaveTextContent(
      'Not saved · kept in memory · The storage for this page is full.',
    )
  },
}

export const InMemory: Story = { name: 'Kept in memory', args: { persistence: 'memory' } }

export const ReadOnly: Story = { name: 'Read only', args: { persistence: 'read_only' } }

/** Another tab runs this session; this one watches, and may take over. */
export const AnotherTab: Story = {
  name: 'Running in another tab',
  args: { driver: 'other', controls: { takeOver: fn() } },
  play: async ({ args, canvas }) => {
    await userEvent.click(canvas.getByRole('button', { name: 'Take over' }))
    await expect(args.controls?.takeOver).toHaveBeenCalledOnce()
  },
}

export const Empty: Story = {
  args: { todos: [] },
  play: async ({ canvas }) => {
    await expect(canvas.getByText(/Nothing planned yet/)).toBeVisible()
    await expect(canvas.queryByRole('button')).toBeNull()
    await expect(canvas.queryByRole('list')).toBeNull()
  },
}

/** Closed, the header says what is being done. The whole header opens and closes. */
export const Collapsed: Story = {
  args: { defaultOpen: false, onOpenChange: fn() },
  play: async ({ args, canvas }) => {
    const toggle = canvas.getByRole('button', { name: 'Todos' })
    await expect(toggle).toHaveAttribute('aria-expanded', 'false')
    await expect(canvas.getByText('Find the most frequent city')).toBeVisible()
    await expect(canvas.queryByRole('list')).toBeNull()
    await userEvent.click(toggle)
    await expect(args.onOpenChange).toHaveBeenLastCalledWith(true)
    await expect(canvas.getByRole('list', { name: 'Todos' })).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  },
}

/** One line above a chat input; opens the card over the content. Escape closes it and gives the focus back. */
export const Bar: Story = {
  args: { variant: 'bar' },
  decorators: [
    (Story) => (
      <div className="story-chat">
        <Story />
      </div>
    ),
  ],
  play: async ({ canvas }) => {
    const bar = canvas.getByRole('button', {
      name: 'Todos, In progress: Find the most frequent city 2 of 5',
    })
    await userEvent.click(bar)
    // It fades in.
    await waitFor(() => expect(canvas.getByRole('list', { name: 'Todos' })).toBeVisible())
    await userEvent.keyboard('{Escape}')
    await expect(canvas.queryByRole('list')).toBeNull()
    await expect(bar).toHaveFocus()
  },
}

export const BarOpen: Story = {
  name: 'Bar, open',
  args: { variant: 'bar', defaultOpen: true },
  decorators: Bar.decorators ?? [],
}

export const BarStates: Story = {
  name: 'Bar, every state',
  render: () => (
    <div className="story-stack">
      <TodoPanel variant="bar" title="Working" todos={working} />
      <TodoPanel
        variant="bar"
        title="Done"
        todos={allDone}
        run={{ outcome: 'completed', startedAt: 0, endedAt: 72_000 }}
      />
      <TodoPanel variant="bar" title="Interrupted" todos={interrupted} run={{ status: 'interrupted' }} />
      <TodoPanel variant="bar" title="Ended" todos={exits} run={{ outcome: 'finished_with_open_todos' }} />
      <TodoPanel variant="bar" title="Not saved" todos={working} persistence="failed" />
      <TodoPanel variant="bar" title="Empty" todos={[]} />
    </div>
  ),
}

/** The list as it was at one message, inside a transcript: static, silent, and no landmark. */
export const Inline: Story = {
  parameters: { width: 480 },
  render: () => (
    <article className="story-message">
      <p>I have the figures of the first two questions, and am counting the cities now.</p>
      <TodoPanel variant="inline" todos={working} />
      <p>Sending the report needs your approval.</p>
      <TodoPanel variant="inline" todos={exits} title="The list at the end" />
    </article>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.queryByRole('region')).toBeNull()
    await expect(canvas.queryByRole('status')).toBeNull()
    const [list] = canvas.getAllByRole('list')
    const row = within(list as HTMLElement).getAllByRole('listitem')[2]
    await expect(row).toHaveTextContent('Find the most frequent cityIn progress')
    await expect(list).not.toHaveAttribute('tabindex')
  },
}

export const InlineDark: Story = { ...Inline, name: 'Inline, dark', globals: { colorScheme: 'dark' } }

/** The person asks for changes; the list changes when the model does, and says until then what was asked. */
export const Editable: Story = {
  args: { editable: true, controls: { request: fn() } },
  play: async ({ args, canvas }) => {
    const { request } = args.controls as { request: ReturnType<typeof fn> }
    await userEvent.click(canvas.getByRole('button', { name: 'Change: Work out 17% of the total' }))
    const field = canvas.getByRole('textbox', { name: 'Rename' })
    await expect(field).toHaveFocus()
    await userEvent.clear(field)
    await userEvent.type(field, 'Work out 19% of the total{Enter}')
    await expect(request).toHaveBeenLastCalledWith({
      type: 'rename',
      id: 4,
      content: 'Work out 19% of the total',
    })
    const row = canvas.getAllByRole('listitem')[3]
    await expect(row).toHaveTextContent('Asked to make it “Work out 19% of the total”')
    await expect(row).toHaveFocus()
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await userEvent.click(canvas.getByRole('button', { name: 'Not this one' }))
    await expect(request).toHaveBeenLastCalledWith({ type: 'skip', id: 5 })
    await userEvent.click(canvas.getByRole('button', { name: '+ Add an item' }))
    await userEvent.keyboard('Send it to Ana{Enter}')
    await expect(request).toHaveBeenLastCalledWith({ type: 'add', content: 'Send it to Ana' })
    await expect(canvas.getByText('Asked to add “Send it to Ana”')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Change: Find the most frequent city' }))
  },
}

export const EditableDark: Story = { ...Editable, name: 'Editable, dark', globals: { colorScheme: 'dark' } }

/** Three rows at most; the current item is always one of them. */
export const MaxVisible: Story = {
  name: 'At most three rows',
  args: { todos: many(12, 5), maxVisible: 3 },
  play: async ({ canvas }) => {
    await expect(canvas.getAllByRole('listitem')[1]).toHaveTextContent('Check file 5 of the export')
    const more = canvas.getByRole('button', { name: '+9 more' })
    await userEvent.click(more)
    await expect(canvas.getAllByRole('listitem')).toHaveLength(12)
    await userEvent.click(canvas.getByRole('button', { name: 'Show fewer' }))
    await expect(canvas.getAllByRole('listitem')).toHaveLength(3)
  },
}

export const Narrow: Story = {
  name: 'Narrow, 320 px',
  parameters: { width: 288 },
  render: () => (
    <div className="story-stack">
      <TodoPanel todos={working} />
      <TodoPanel todos={plan} mode="plan" controls={{ approvePlan: fn(), askForChanges: fn() }} />
      <TodoPanel
        title="Interrupted"
        todos={interrupted}
        run={{ status: 'interrupted' }}
        controls={{ resume: fn() }}
      />
      <TodoPanel title="Ended" todos={exits} run={{ outcome: 'finished_with_open_todos' }} />
    </div>
  ),
  play: async ({ canvasElement }) => {
    for (const panel of canvasElement.querySelectorAll('.todo-panel')) {
      await expect(panel.scrollWidth).toBeLessThanOrEqual(panel.clientWidth)
    }
  },
}

/** Icons, times and actions stand on the other side; each text keeps its own direction. */
export const RightToLeft: Story = {
  name: 'Right to left, Arabic',
  args: { todos: arabic },
  decorators: [
    (Story) => (
      <div dir="rtl" lang="ar">
        <Story />
      </div>
    ),
  ],
  play: async ({ canvas }) => {
    const row = canvas.getAllByRole('listitem')[0] as HTMLElement
    const icon = row.querySelector('svg') as SVGElement
    const text = within(row).getByText('قراءة الطلبات المئتين')
    await expect(icon.getBoundingClientRect().left).toBeGreaterThan(text.getBoundingClientRect().right - 1)
  },
}

export const Chinese: Story = {
  args: {
    todos: chinese,
    labels: zhLabels,
    run: { status: 'running', correction: { count: 1, max: 3, open: 2 } },
    persistence: 'failed',
    persistenceDetail: '存储空间已满',
  },
  decorators: [
    (Story) => (
      <div lang="zh">
        <Story />
      </div>
    ),
  ],
  play: async ({ canvas }) => {
    await expect(canvas.getAllByRole('listitem')[1]).toHaveTextContent(
      '已完成: 计算价格的平均值和中位数1 分钟 4 秒',
    )
  },
}

/** Five thousand characters in one word, newlines, emoji, addresses. */
export const LongContent: Story = {
  name: 'Long content',
  args: {
    todos: long,
    mode: 'a mode with quite a long name',
    title: 'A title that is too long for its place',
  },
  play: async ({ canvas, canvasElement }) => {
    const panel = canvasElement.querySelector('.todo-panel') as HTMLElement
    await expect(panel.scrollWidth).toBeLessThanOrEqual(panel.clientWidth)
    await expect(canvas.getByText('x'.repeat(5000))).toBeInTheDocument()
  },
}

/** A thousand items: one bar, one scroller, the current item in view. */
export const Thousand: Story = {
  name: 'A thousand items',
  // Rows are alike, and axe looks at each for long.
  parameters: { a11y: { context: { exclude: ['li:nth-child(n + 30)'] } } },
  args: { todos: many(1000, 600) },
  play: async ({ canvas }) => {
    const list = canvas.getByRole('list')
    await expect(canvas.getAllByRole('listitem')).toHaveLength(1000)
    await waitFor(() => expectInView(list, canvas.getByText('Check file 600 of the export')), {
      timeout: 10_000,
    })
    await expect(list).toHaveAttribute('tabindex', '0')
  },
}

/** Text of todos is only ever text. */
export const AttackText: Story = {
  name: 'Text as attack',
  args: { todos: attack },
  play: async ({ canvas, canvasElement }) => {
    await expect(canvasElement.querySelectorAll('.todo-panel :is(img, a, script, b)')).toHaveLength(0)
    await expect(canvas.getByText('<img src=x onerror="document.title = \'owned\'">')).toBeInTheDocument()
  },
}

/** A panel may have another scheme than its page. */
export const DarkOnLight: Story = {
  name: 'Dark panel on a light page',
  render: () => <TodoPanel todos={working} data-theme="dark" />,
}

/** Parts, composed by hand: another order, another element for the title, rows with something more. */
export const OwnComposition: Story = {
  name: 'Composed of parts',
  render: () => (
    <TodoPanel.Root todos={working}>
      <TodoPanel.Progress style={{ marginBlock: 12 }} />
      <TodoPanel.List>
        {(row) => <TodoPanel.Item {...row} className={row.todo.id === 5 ? 'story-last' : undefined} />}
      </TodoPanel.List>
      <TodoPanel.Notices />
      <TodoPanel.Outcome render={(props) => <aside {...props} />} />
      <TodoPanel.Actions />
    </TodoPanel.Root>
  ),
}

/** A whole run on a session: drafts arrive, become firm, are worked off. */
export const WholeRun: Story = {
  name: 'A whole run',
  render: () => <Run />,
}

const steps = [
  'Read the 200 orders',
  'Find the most frequent city',
  'Work out 17% of the total',
  'Write the summary',
]

function Run() {
  const [session] = useState(() => ({
    id: 'run',
    store: createStore<TodoView>(() => ({ ...emptyView, persistence: 'saved' })),
  }))
  useEffect(() => {
    const run = { ...session.store.getState().run, status: 'running' as const, startedAt: Date.now() }
    const script: (() => void)[] = [
      ...steps.flatMap((content, index) => {
        const before = steps.slice(0, index).map((text) => ({ content: text, status: 'pending' as const }))
        return [
          () =>
            session.store.setState({
              run,
              draft: [...before, { content: content.slice(0, 9), status: 'pending', partial: true }],
            }),
          () => session.store.setState({ draft: [...before, { content, status: 'pending' }] }),
        ]
      }),
      ...[...steps, 'end'].map(
        (_, at) => () => session.store.setState({ draft: null, todos: workedOff(at) }),
      ),
      () =>
        session.store.setState({
          run: { ...run, status: 'idle', outcome: 'completed', endedAt: Date.now() },
        }),
    ]
    const timer = setInterval(() => script.shift()?.(), 700)
    return () => clearInterval(timer)
  }, [session])
  return <TodoPanel session={session} />
}

function workedOff(at: number): readonly Todo[] {
  return steps.map((content, index) => {
    const startedAt = Date.now() - 700
    const todo = { id: index + 1, content, createdAt: 0 }
    if (index > at) return { ...todo, status: 'pending' }
    if (index === at) return { ...todo, status: 'in_progress', startedAt }
    return { ...todo, status: 'completed', startedAt, completedAt: startedAt + 700 * (index + 1) }
  })
}

async function expectInView(list: HTMLElement, row: HTMLElement): Promise<void> {
  const room = list.getBoundingClientRect()
  const place = row.getBoundingClientRect()
  await expect(place.top).toBeGreaterThanOrEqual(room.top)
  await expect(place.bottom).toBeLessThanOrEqual(room.bottom)
}
