import type { InProgressPolicy, Todo, TodoRequest, Toolset } from './todo.ts'

// TYPES

/** The items that a text names, and the tools with which the model can change them. */
export interface OpenFacts {
  readonly open: readonly Todo[]
  readonly toolset: Toolset
}

/** A change of the list that the person asks for, and what the item said then. */
export type AskedChange = TodoRequest & { readonly current?: string }

/** Every text that the kit sends to a model. Give your own for some or all of them: see {@link todoTexts}. */
export interface TodoTexts {
  /** The tool that replaces the whole list. */
  readonly writeTodos: {
    /** Appended to the system prompt. */
    readonly instructions: string
    /** What the tool list says; the rule for `inProgress`, and `exits` where they are on, are put after it. */
    readonly description: string
    readonly inProgress: Readonly<Record<InProgressPolicy, string>>
    readonly exits: string
    readonly updated: string
    /** The list was sent again as it is. */
    readonly unchanged: string
    renamed(facts: { readonly id: number; readonly from: string; readonly to: string }): string
    notExactlyOne(facts: { readonly policy: InProgressPolicy; readonly count: number }): string
    emptyList(facts: { readonly open: readonly Todo[] }): string
    readonly parallel: string
  }
  /** The five tools that work by id. */
  readonly todos: {
    readonly instructions: string
    readonly add: string
    readonly complete: string
    /** Put after `complete` where `exits` are on. */
    readonly exits: string
    readonly remove: string
    readonly getRemaining: string
    readonly getAll: string
    unknownIds(facts: { readonly ids: readonly number[]; readonly todos: readonly Todo[] }): string
  }
  readonly mode: {
    /** `{current_mode}` and `{available_modes}` are replaced. */
    readonly instructions: string
    readonly planInstructions: string
    readonly executeInstructions: string
    readonly set: string
    readonly get: string
    changed(facts: { readonly from: string; readonly to: string }): string
    unknown(facts: { readonly mode: string; readonly available: readonly string[] }): string
  }
  /** What the loop says when it runs the agent again; `{remaining_todos}` is replaced. */
  readonly loopFeedback: string
  /** The same for the evaluator that waits for a marker; `{completion_marker}` and `{last_response}` are replaced. */
  readonly loopMarker: string
  readonly listHeading: string
  readonly noneYet: string
  /** Given when three or more items are all completed. */
  readonly checkWork: string
  /** Arguments of a tool that don't fit. `path` says where, such as `todos[2].status`. */
  invalid(facts: { readonly path: string; readonly got: string; readonly expected: string }): string
  /** `empty`: the response had no text, so the user has no answer yet. */
  correction(facts: OpenFacts & { readonly empty?: boolean }): string
  blocked(facts: { readonly open: readonly Todo[] }): string
  readonly blockedCall: string
  stale(facts: OpenFacts): string
  readonly emptyResponse: string
  /** Sent when the loop goes on without feedback. */
  readonly goOn: string
  /** Stands in the model's place between results and what the user says after them, where roles must alternate. */
  readonly noted: string
  readonly resume: string
  /** What the person asks for in the panel, as one message in the person's name. */
  requests(facts: { readonly requests: readonly AskedChange[]; readonly exits: boolean }): string
  readonly interruptedCall: string
  cutOff(toolName: string): string
  unknownTool(facts: { readonly name: string; readonly available: readonly string[] }): string
}

/** Some of the texts; what is left out, also inside a group, stays English. */
export type TodoTextOverrides = {
  readonly [Key in keyof TodoTexts]?: TodoTexts[Key] extends string | ((...facts: never[]) => string)
    ? TodoTexts[Key]
    : Partial<TodoTexts[Key]>
}

// VALUES

const resend = 'Nothing was changed: correct the call and send it again.'
const explain = 'Call no tool. Tell the user in plain text what is not done and why.'
const exits = 'For what you will not or cannot do use cancelled or blocked, with a reason.'

const inProgress: TodoTexts['writeTodos']['inProgress'] = {
  'exactly-one': 'Exactly one item is in_progress until all are finished.',
  'at-most-one': 'At most one item is in_progress.',
  any: '',
}

/** The texts as they ship. */
export const englishTexts: TodoTexts = {
  writeTodos: {
    instructions: `${guidance('write_todos')}
Set an item in_progress before you start it and completed as soon as it is done. On feedback add, reword or drop items; on a new topic rewrite the list. One call per step. Bring the list up to date before your final answer.`,
    description:
      'Replaces the todo list that the user sees. Send all items each time: one that is left out is removed. Keep the wording of items that stay.',
    inProgress,
    exits,
    updated: 'Updated.',
    unchanged: 'Unchanged.',
    renamed: ({ id, from, to }) => `${id} was ${from}, is now ${to}`,
    notExactlyOne: ({ policy, count }) => `${count} items are in_progress. ${inProgress[policy]} ${resend}`,
    emptyList: ({ open }) => `Only a finished list can be emptied. Unfinished: ${names(open)}. ${resend}`,
    parallel: `Only one write_todos call per step. ${resend}`,
  },
  todos: {
    instructions: `${guidance('the todos tools')}
Complete an item as soon as it is done. On feedback add or remove items; on a new topic rebuild the list. Put several changes into one call.`,
    add: 'Adds todos and returns them with their ids.',
    complete: 'Completes todos, each with the reason why it is done. Returns how many became complete.',
    exits,
    remove: 'Removes todos that are no longer needed. Returns how many.',
    getRemaining: 'Returns the unfinished todos.',
    getAll: 'Returns all todos.',
    unknownIds: ({ ids, todos }) => `No todo has id ${ids.join(', ')}. The list: ${names(todos)}.`,
  },
  mode: {
    instructions: `## Mode
You are in {current_mode} mode. Switch with mode_set only where its instructions or the user say so.

{available_modes}`,
    planInstructions:
      'Ask where the task is unclear, break it down into todos and show the plan. Carry nothing out. Once the user approves, switch to execute.',
    executeInstructions:
      'Work through the todos without asking back. Complete each as soon as it is done; adapt them where the plan no longer fits.',
    set: 'Sets the mode.',
    get: 'Returns the mode.',
    changed: ({ from, to }) => `The mode was changed from ${from} to ${to}.`,
    unknown: ({ mode, available }) => `There is no mode ${quote(mode)}. Modes: ${available.join(', ')}.`,
  },
  loopFeedback: `Go on with the unfinished todos; complete each when it is done, remove what is not needed.

{remaining_todos}`,
  loopMarker: 'Go on with the task. Write {completion_marker} once all of it is done.',
  listHeading: '### Current todo list',
  noneYet: '- none yet',
  checkWork: 'All items are completed: check the work before you answer.',
  invalid: ({ path, got, expected }) => `${path} is ${got}, expected ${expected}. ${resend}`,
  correction: ({ open, toolset, empty }) =>
    `${empty ? 'Your last response was empty, and' : 'The user has your answer, but'} the todo list has unfinished items: ${names(open)}. Do what is left and update the list with ${tools(toolset)}, then ${empty ? 'answer the user' : 'close with one sentence; do not repeat the answer'}.`,
  blocked: ({ open }) => `This run cannot end cleanly, unfinished: ${names(open)}. ${explain}`,
  blockedCall: `Not run. ${explain}`,
  stale: ({ open, toolset }) =>
    `The todo list has not changed for some steps. Unfinished: ${names(open)}. If it is out of date, update it with ${tools(toolset)}; otherwise ignore this note. Do not mention it.`,
  goOn: 'Go on.',
  noted: 'Noted.',
  emptyResponse: 'Your last response was empty. Answer the user.',
  resume:
    'The run was interrupted. Go on where the todo list stands; do not repeat what already has a result.',
  requests: ({ requests, exits }) =>
    `Please change the todo list: ${requests.map((request) => asked(request, exits)).join('; ')}.`,
  interruptedCall: 'Interrupted before a result came. It may have taken effect: check before you repeat it.',
  cutOff: (toolName) =>
    `Not run: the response was cut off, or the arguments of ${toolName} are not valid JSON. Send it again, shorter if it was cut off.`,
  unknownTool: ({ name, available }) => `There is no tool ${quote(name)}. Tools: ${available.join(', ')}.`,
}

/** The English texts with yours in their place. */
export function todoTexts(overrides: TodoTextOverrides = {}): TodoTexts {
  const merged = Object.entries({ ...englishTexts, ...overrides }).map(([key, text]) => {
    const base = englishTexts[key as keyof TodoTexts]
    return [key, typeof text === 'object' ? Object.assign({}, base, text) : (text ?? base)]
  })
  return Object.fromEntries(merged)
}

// ENCODING

/** Items as `1 "text", 2 "text"`, the first 20 of them. What stands in an item stays inside its quotes. */
export function names(todos: readonly Todo[]): string {
  const shown = todos.slice(0, 20).map(({ id, content }) => `${id} ${quote(content)}`)
  return shown.join(', ') + (todos.length > 20 ? ', …' : '')
}

/** A value as JSON that holds no line break and cannot open or close a tag, whatever is in it. */
export function quote(value: unknown): string {
  return JSON.stringify(value).replace(/[<\u0085\u2028\u2029]/g, escapeUnit)
}

/**
 * A text as it stands in a line of a list. It cannot start a line that reads as part of the list or of what is around it, nor
 * open or close a tag: line breaks stay only before plain words, other control characters and a `<` of a tag are escaped.
 */
export function inline(text: string): string {
  return text.replace(OUT_OF_LINE, escapeUnit)
}

// A line break that no plain words follow; a control character; the `<` of a tag, also with something invisible behind it.
const OUT_OF_LINE =
  /\n(?![\p{L}\p{N}][^\p{Cc}\u2028\u2029:<>[\]{}#|`]*(?:\n|$))|(?![\t\n])[\p{Cc}\u2028\u2029]|<(?=[\p{C}\p{M}]*\p{L}|[\s\p{C}\p{M}]*(?:[/!?]|\p{L}[^<]*>))/gu

/** A UTF-16 unit as JSON writes it: `\u003c`. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

// HELPERS

function asked(request: AskedChange, exits: boolean): string {
  if (request.type === 'add') return `add ${quote(request.content)}`
  const item = `${request.id} ${quote(request.current)}`
  switch (request.type) {
    case 'rename':
      return `rename ${item} to ${quote(request.content)}`
    case 'remove':
      return `remove ${item}`
    case 'skip':
      return `skip ${item} (${exits ? 'set it cancelled' : 'drop it undone'})`
    default:
      return request satisfies never
  }
}

function guidance(tools: string): string {
  return `## Todo list
Use ${tools} for complex work, in several steps or with several requests, not for simple or conversational requests. Where the goal is unclear, ask first.`
}

function tools(toolset: Toolset): string {
  return toolset === 'todos' ? 'todos_complete or todos_remove' : 'write_todos'
}
