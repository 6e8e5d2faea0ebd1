import { describe, expect, test } from 'vitest'
import {
  deepFreeze,
  emptyView,
  idleRun,
  type RunView,
  type Todo,
  type TodoStatus,
  type TodoView,
} from '../core/todo.ts'
import { enLabels, type RowState } from './labels.ts'
import {
  news,
  outcomeNotice,
  type PanelTodo,
  panelNotices,
  rowAside,
  rowDetail,
  type Standing,
  standing,
  summarize,
  type TodoPanelVerbosity,
  tentativeRows,
  toPanelState,
  toView,
  visibleRows,
} from './panelState.ts'

const list: readonly Todo[] = deepFreeze([
  { id: 1, content: 'Read', status: 'completed', createdAt: 0, startedAt: 1000, completedAt: 5000 },
  { id: 3, content: 'Review', status: 'in_progress', createdAt: 0, startedAt: 5000 },
  { id: 4, content: 'Write', status: 'pending', createdAt: 0 },
])

const cancelled = list.map((todo): Todo => ({ ...todo, status: 'cancelled' }))

function view(change: Partial<TodoView> = {}, run: Partial<RunView> = {}): TodoView {
  return { ...emptyView, todos: list, persistence: 'saved', run: { ...idleRun, ...run }, ...change }
}

function state(change: Partial<TodoView> = {}, run: Partial<RunView> = {}) {
  return toPanelState(view(change, run), enLabels)
}

function draftOf(...contents: readonly string[]) {
  return contents.map((content) => ({ content, status: 'pending' as const }))
}

describe('tentativeRows', () => {
  const shown = (...draft: Parameters<typeof tentativeRows>[1] & object) =>
    tentativeRows(list, draft).map((row) => `${row.todo.content}|${row.draft}`)

  test('a draft that repeats the list shows nothing tentative', () => {
    expect(shown(...draftOf('Read', ' review ', 'WRITE'))).toEqual([])
  })

  test('a draft of which half has arrived shows nothing tentative', () => {
    expect(shown(...draftOf('Read'), { content: 'Rev', status: 'pending', partial: true })).toEqual([])
    expect(shown(...draftOf('Read'), { content: '', status: 'pending', partial: true })).toEqual([])
  })

  test('what the list does not hold stands after it, the last one as partial', () => {
    expect(
      shown(...draftOf('Read', 'Send', 'Review', 'Write'), {
        content: 'Fi',
        status: 'pending',
        partial: true,
      }),
    ).toEqual(['Send|complete', 'Fi|partial'])
  })

  test('two drafts of one text are one known row and one new one', () => {
    expect(shown(...draftOf('Read', 'Read'))).toEqual(['Read|complete'])
  })

  test('a draft has the id that its commit will give it', () => {
    expect(tentativeRows(list, draftOf('a', 'b')).map((row) => row.todo.id)).toEqual([5, 6])
    expect(tentativeRows([], draftOf('a')).map((row) => row.todo.id)).toEqual([1])
  })

  test('half-parsed items are left out', () => {
    const odd = [{}, null, { content: null }, { content: 'Send', status: 'pending' }] as never
    expect(tentativeRows([], odd).map((row) => row.todo.content)).toEqual(['Send'])
  })
})

describe('toView', () => {
  test('what is no todo is left out and of two rows with one id the first stays', () => {
    const todos = [
      null,
      {},
      { content: null },
      [],
      { id: 1, content: 'a' },
      { id: '1', content: 'b' },
    ] as never
    expect(toView({ todos }).todos.map((todo) => todo.content)).toEqual(['a'])
    expect(toView({ todos: null as never }).todos).toEqual([])
  })

  test('without a run, an item in progress means that one is running', () => {
    expect(toView({ todos: list }).run.status).toBe('running')
    expect(toView({ todos: list.slice(2) }).run.status).toBe('idle')
    expect(toView({ todos: list, run: { outcome: 'stopped' } }).run.status).toBe('idle')
  })
})

describe('rows', () => {
  const todo = (change: Partial<PanelTodo>): PanelTodo => ({
    id: 1,
    content: 'x',
    status: 'pending',
    ...change,
  })

  const aside = (state: RowState, change: Partial<PanelTodo> = {}, still = false) =>
    rowAside({
      todo: todo({ status: state === 'paused' ? 'in_progress' : (state as TodoStatus), ...change }),
      current: false,
      paused: state === 'paused',
      draft: null,
      labels: enLabels,
      still,
    })

  test('a finished row says how long it took, when that is known', () => {
    expect(aside('completed', { startedAt: 0, completedAt: 64_000 })).toBe('1\u00a0min\u00a04\u00a0s')
    expect(aside('completed', { completedAt: 64_000 })).toBeNull()
    // As JSON of a server has it.
    expect(aside('completed', { startedAt: null as never, completedAt: 64_000 })).toBeNull()
    expect(aside('completed', { startedAt: 9000, completedAt: 0 })).toBe('1\u00a0s')
  })

  test('paused, blocked and cancelled rows say so in words', () => {
    expect(aside('paused')).toBe('paused')
    expect(aside('blocked')).toBe('blocked')
    expect(aside('cancelled')).toBe('cancelled')
    expect(aside('pending')).toBeNull()
    expect(aside('in_progress')).toBeNull()
    expect(aside('in_progress', {}, true)).toBe('In progress')
  })

  test('an exit shows its reason, an open item its description, a finished one neither', () => {
    const both = { description: 'what', reason: 'why' }
    expect(rowDetail(todo({ ...both, status: 'blocked' }))).toBe('why')
    expect(rowDetail(todo({ description: 'what', status: 'cancelled' }))).toBe('what')
    expect(rowDetail(todo({ ...both, status: 'pending' }))).toBe('what')
    expect(rowDetail(todo({ ...both, status: 'completed' }))).toBeUndefined()
  })
})

describe('toPanelState', () => {
  test('the count leaves cancelled items out and keeps blocked ones in', () => {
    const todos = deepFreeze<readonly Todo[]>([
      ...list,
      { id: 5, content: 'e', status: 'cancelled', createdAt: 0 },
      { id: 6, content: 'f', status: 'blocked', createdAt: 0 },
    ])
    expect(state({ todos }).count).toBe('1 of 4')
  })

  test('a plan counts its steps, drafts included, until something of it has begun', () => {
    const pending = list.slice(2)
    expect(state({ mode: 'plan', todos: pending, draft: draftOf('Write', 'Send') })).toMatchObject({
      title: 'Plan',
      plan: true,
      count: '2 steps',
    })
    expect(state({ mode: 'plan', todos: pending }).count).toBe('1 step')
    expect(state({ mode: 'plan' })).toMatchObject({ title: 'Plan', plan: false, count: '1 of 3' })
    expect(state({ mode: 'plan', todos: [] })).toMatchObject({ count: null, empty: true })
  })

  test('the title of the host goes before that of the labels', () => {
    expect(toPanelState(view({ mode: 'plan' }), enLabels, 'Mine').title).toBe('Mine')
  })
})

describe('visibleRows', () => {
  const rows = (states: string, max: number, drafts = 0) => {
    const todos = [...states].map((word, index) => ({
      id: index + 1,
      content: `${index}`,
      createdAt: 0,
      status: ({ x: 'completed', '>': 'in_progress', '.': 'pending', '-': 'cancelled' } as const)[
        word as '.'
      ],
    }))
    const draft = draftOf(...Array.from({ length: drafts }, (_, index) => `draft ${index}`))
    return Object.values(visibleRows(state({ todos, draft }), max))
  }

  test.each([
    ['the current item, one before it and what comes next', 'xxx>...', 3, 0, [2, 5, 4]],
    ['the current item alone', 'xxx>...', 1, 0, [3, 4, 6]],
    ['the start of a list that has not begun', '.....', 3, 0, [0, 3, 2]],
    ['the next item where none is current', 'xxx-...', 3, 0, [3, 6, 4]],
    ['the end of a list that is done', 'xxxxx', 3, 0, [2, 5, 2]],
    ['as much as there is near the end', 'xxxx>', 3, 0, [2, 5, 2]],
    ['drafts as rows after it', 'x>', 3, 4, [0, 3, 3]],
    ['all where there is room', 'x>.', 3, 0, [0, 3, 0]],
    ['all without a limit', 'x>.', Number.POSITIVE_INFINITY, 2, [0, 5, 0]],
    ['nothing of nothing', '', 3, 0, [0, 0, 0]],
  ] as const)('shows %s', (_, states, max, drafts, expected) => {
    expect(rows(states, max, drafts)).toEqual(expected)
  })
})

describe('panelNotices', () => {
  const told = (change: Partial<TodoView>, run: Partial<RunView> = {}) =>
    panelNotices(view(change, run), enLabels).map((notice) => [notice.title, ...notice.details].join(' · '))

  test('nothing is said when all is well', () => {
    expect(told({}, { status: 'running' })).toEqual([])
  })

  test('a correction is told only while its run is on', () => {
    const correction = { count: 1, max: 3, open: 2 }
    expect(told({}, { status: 'running', correction })).toEqual(['Asked to continue · 2 still open · 1 of 3'])
    expect(told({}, { status: 'idle', correction })).toEqual([])
  })

  test('an interrupted run promises that all is saved only when it is', () => {
    expect(told({}, { status: 'interrupted' })).toEqual(['Interrupted · everything up to here is saved'])
    expect(told({ persistence: 'failed' }, { status: 'interrupted' })).toEqual([
      'Interrupted',
      'Not saved · kept in memory',
    ])
  })

  test('persistence is told with the cause in the words of the session', () => {
    expect(told({ persistence: 'failed', persistenceDetail: 'The storage is full.' })).toEqual([
      'Not saved · kept in memory · The storage is full.',
    ])
    expect(told({ persistence: 'memory' })).toEqual(['Kept in memory · gone when this page closes'])
    expect(told({ persistence: 'memory', persistenceDetail: 'Deleted in another tab.' })).toEqual([
      'Kept in memory · Deleted in another tab.',
    ])
    expect(told({ persistence: 'memory', todos: [] })).toEqual([])
    expect(told({ persistence: 'read_only' })).toEqual(['Read only · saved by a newer version'])
  })

  test('another tab that drives can be taken over', () => {
    expect(panelNotices(view({ driver: 'other' }), enLabels)).toMatchObject([
      { title: 'Running in another tab', action: 'takeOver' },
    ])
  })
})

describe('outcomeNotice', () => {
  const ended = (run: Partial<RunView>, todos = list) => outcomeNotice(view({ todos }, run), enLabels)

  test('a completed run and a running one leave nothing to say', () => {
    expect(ended({ outcome: 'completed' })).toBeNull()
    expect(ended({ outcome: 'stopped', status: 'running' })).toBeNull()
    expect(ended({ outcome: 'finished_with_open_todos' }, list.slice(0, 1))).toBeNull()
  })

  test.each([
    ['finished_with_open_todos', 'warn', 'Finished with 2 open', [], undefined],
    ['blocked', 'warn', 'Could not finish', ['2 still open'], undefined],
    ['awaiting_approval', 'info', 'Waiting for your approval', [], undefined],
    ['max_steps', 'warn', 'Step limit reached', ['2 still open'], 'resume'],
    ['max_iterations', 'warn', 'Round limit reached', ['2 still open'], 'resume'],
    ['empty_response', 'warn', 'The model gave no answer', ['2 still open'], 'resume'],
    ['stopped', 'quiet', 'Stopped', ['2 still open'], 'resume'],
    ['failed', 'bad', 'Failed', ['2 still open'], 'resume'],
  ] as const)('%s', (outcome, tone, title, details, action) => {
    expect(ended({ outcome })).toEqual({ kind: 'outcome', tone, title, details, action })
  })

  test('a failure is told in its own words', () => {
    const error = { code: 'model_failed', message: 'The model is overloaded.' }
    expect(ended({ outcome: 'failed', error })?.details).toEqual(['The model is overloaded.'])
  })
})

describe('one line', () => {
  test.each([
    ['the item in progress', state({}, { status: 'running' }), 'in_progress', 'Review'],
    ['the paused item', state({}, { status: 'interrupted' }), 'paused', 'Review'],
    ['the next item', state({ todos: list.slice(2) }), 'pending', 'Write'],
    ['that all is done', state({ todos: list.slice(0, 1) }), 'completed', 'Done'],
    ['the newest draft', state({ todos: [], draft: draftOf('Read', 'Rev') }), 'draft', 'Rev'],
    ['the last of what was cancelled', state({ todos: cancelled }), 'cancelled', 'Write'],
    ['that there is nothing', state({ todos: [] }), 'pending', 'Nothing planned yet.'],
    ['nothing while it is read', state({ todos: [], persistence: 'loading' }), 'pending', '\u00a0'],
  ])('says %s', (_, given, status, text) => {
    expect(summarize(given, enLabels)).toEqual({ state: status, text })
  })
})

describe('standing', () => {
  const text = (...given: Parameters<typeof state>) => standing(state(...given), enLabels).text

  test('says how far the list is and what is being done', () => {
    expect(text({}, { status: 'running' })).toBe('1 of 3 done: now Review')
    expect(text({ todos: list.slice(2) })).toBe('0 of 1 done')
    expect(text({ todos: list.slice(0, 1) })).toBe('Done')
    expect(text({ todos: [] })).toBe('')
  })

  test('says how a run ended', () => {
    expect(text({}, { outcome: 'stopped' })).toBe('Stopped · 2 still open')
    expect(text({}, { status: 'interrupted' })).toBe('Interrupted')
  })

  test('cuts a text of thousands of characters', () => {
    const todos: readonly Todo[] = [{ id: 1, content: 'x'.repeat(5000), status: 'in_progress', createdAt: 0 }]
    expect(text({ todos }, { status: 'running' }).length).toBeLessThan(150)
  })

  test('a draft changes nothing of it', () => {
    expect(standing(state({ draft: draftOf('a', 'b') }), enLabels)).toEqual(standing(state(), enLabels))
  })
})

describe('news', () => {
  const at = (
    states: string,
    run: Partial<RunView> = { status: 'running' },
    change: Partial<TodoView> = {},
  ) => {
    const todos = [...states].map((word, index) => ({
      id: index + 1,
      content: `Item ${index + 1}`,
      createdAt: 0,
      status: ({ x: 'completed', '>': 'in_progress', '.': 'pending', '!': 'blocked' } as const)[word as '.'],
    }))
    return standing(state({ todos, ...change }, run), enLabels)
  }
  const idle = { status: 'idle' } as const
  const told = (before: Standing, after: Standing, verbosity: TodoPanelVerbosity = 'milestones') =>
    news(before, after, enLabels, verbosity)

  test.each([
    ['work begins', at('......', idle), at('>.....'), '0 of 6 done: now Item 1'],
    ['a list is written in a run', at('', idle), at('......'), '0 of 6 done'],
    ['a third is done', at('x>....'), at('xx>...'), '2 of 6 done: now Item 3'],
    ['all is done', at('xxxxx>'), at('xxxxxx'), 'All 6 done'],
    ['each item of a list of three', at('>..'), at('x>.'), '1 of 3 done: now Item 2'],
    ['an item is blocked', at('>.....'), at('!>....'), 'blocked: Item 1'],
    ['a run was stopped', at('x>....'), at('x>....', { outcome: 'stopped' }), 'Stopped · 5 still open'],
    ['a run was cut short', at('x>....'), at('x>....', { status: 'interrupted' }), 'Interrupted'],
    [
      'a run failed',
      at('x>....'),
      at('x>....', { outcome: 'failed', error: { code: 'x', message: 'It is down.' } }),
      'Failed · It is down.',
    ],
    ['a save failed', at('x>....'), at('x>....', undefined, { persistence: 'failed' }), 'Not saved'],
  ])('is told when %s', (_, before, after, sentence) => {
    expect(told(before, after)).toBe(sentence)
  })

  test.each([
    ['an item in between is done', at('>.....'), at('x>....')],
    ['the list grows, so that fewer thirds are done', at('xx>'), at('xx>...')],
    ['an item moves on without a run', at('..', idle), at('>.', idle)],
    ['a run ends well', at('xxx'), at('xxx', { outcome: 'completed' })],
    ['an item is blocked no more', at('!>....'), at('>.....')],
  ])('is not told when %s', (_, before, after) => {
    expect(told(before, after)).toBe('')
  })

  test('is each change where the host wants that', () => {
    expect(told(at('>.....'), at('x>....'), 'changes')).toBe('1 of 6 done: now Item 2')
    expect(told(at('>.....'), at('>.....'), 'changes')).toBe('')
  })
})

describe('a plan', () => {
  test('shows an item that it begins with as still to do', () => {
    const todos = deepFreeze([
      { id: 1, content: 'A', status: 'in_progress', createdAt: 1, startedAt: 2 },
      { id: 2, content: 'B', status: 'pending', createdAt: 1 },
    ] satisfies Todo[])
    const state = toPanelState({ ...emptyView, todos, mode: 'plan' }, enLabels)
    expect(state).toMatchObject({ plan: true, count: '2 steps' })
    expect(state.todos.map((todo) => todo.status)).toEqual(['pending', 'pending'])
    expect(toPanelState({ ...emptyView, todos, mode: 'plan' }, enLabels).todos).toBe(state.todos)
  })

  test('is a plan no longer once something is finished', () => {
    const todos: Todo[] = [{ id: 1, content: 'A', status: 'completed', createdAt: 1 }]
    expect(toPanelState({ ...emptyView, todos, mode: 'plan' }, enLabels).plan).toBe(false)
  })
})
