import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { type PanelTodo, TodoPanel } from 'use-todo-agent/panel'
import { allDone, arabicWall, exits, plan, planDraft, wall, wallDraft } from './panel/panelData.ts'
import '@fontsource/rubik/400.css'
import '@fontsource/rubik/600.css'
import './panel/panel.css'

// `npm run test:visual` compares these with pictures, so they have a font of their own and no clock.

/** Every status there is, in every variant, side by side. */
const meta = {
  title: 'TodoPanel/Wall',
  component: TodoPanel,
  args: { todos: wall },
  render: ({ todos }) => <Wall todos={todos ?? []} />,
} satisfies Meta<typeof TodoPanel>

export default meta

type Story = StoryObj<typeof meta>

export const Light: Story = {
  play: async ({ canvas, canvasElement }) => {
    const [working, paused] = canvas.getAllByRole('list')
    const shown = (list: Element | undefined) =>
      [...(list?.querySelectorAll('.todo-panel-status') ?? [])].map((it) => it.getAttribute('data-status'))
    const statuses = ['completed', 'in_progress', 'pending', 'blocked', 'cancelled', 'draft']
    await expect([...new Set(shown(working))]).toEqual(statuses)
    await expect(shown(paused)).toContain('paused')
    await expect(canvasElement.scrollWidth).toBeLessThanOrEqual(canvasElement.clientWidth)
  },
}

export const Dark: Story = { globals: { colorScheme: 'dark' } }

/** Seen as such where the system forces its colours; `npm run test:visual` does. */
export const ForcedColours: Story = { name: 'Forced colours' }

export const RightToLeft: Story = {
  name: 'Right to left',
  args: { todos: arabicWall },
  decorators: [
    (Story) => (
      <div dir="rtl" lang="ar">
        <Story />
      </div>
    ),
  ],
}

const unbounded = { '--todo-max-height': 'none' } as React.CSSProperties

function Wall({ todos }: { todos: readonly PanelTodo[] }) {
  return (
    <div className="story-wall">
      <TodoPanel title="Working" todos={todos} draft={wallDraft} style={unbounded} />
      <TodoPanel
        title="Interrupted"
        todos={todos}
        run={{ status: 'interrupted' }}
        controls={{ resume() {} }}
        style={unbounded}
      />
      <div className="story-stack">
        <TodoPanel
          title="Plan"
          todos={plan}
          draft={planDraft}
          mode="plan"
          controls={{ approvePlan() {}, askForChanges() {} }}
        />
        <TodoPanel
          title="Asked to go on"
          todos={todos}
          maxVisible={2}
          run={{ status: 'running', correction: { count: 1, max: 3, open: 2 } }}
          persistence="failed"
        />
        <TodoPanel title="Empty" todos={[]} />
        <TodoPanel title="In one line" variant="bar" todos={todos} />
        <TodoPanel
          title="Done in one line"
          variant="bar"
          todos={allDone}
          run={{ outcome: 'completed', startedAt: 0, endedAt: 72_000 }}
        />
        <TodoPanel title="Inline" variant="inline" todos={exits} />
      </div>
    </div>
  )
}
