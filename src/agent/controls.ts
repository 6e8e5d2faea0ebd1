import type { RunOutcome, TodoControls } from '../core/todo.ts'
import type { SessionState, TodoSession } from '../session/createTodoSession.ts'

/** Outcomes after which the person can let the agent go on from what is saved. */
const RESUMABLE: ReadonlySet<RunOutcome | null> = new Set([
  'stopped',
  'failed',
  'max_steps',
  'max_iterations',
])

/** Keeps the controls of a session as they make sense now. Returns the function that ends it. */
export function offerControls(
  session: Pick<TodoSession, 'store' | 'setControls'>,
  all: TodoControls,
): () => void {
  let offered: string | null = null
  function update(): void {
    const controls = controlsOf(session.store.getState(), all)
    const names = Object.keys(controls).join(' ')
    if (names === offered) return
    offered = names
    session.setControls(controls)
  }
  update()
  const unsubscribe = session.store.subscribe(update)
  return () => {
    unsubscribe()
    session.setControls({})
  }
}

/** Of what a person could do with a session, what makes sense as it is now. */
function controlsOf(
  { run, mode, todos, driver, messages }: SessionState,
  { resume, stop, takeOver, approvePlan, request }: TodoControls,
): TodoControls {
  const elsewhere = driver === 'other'
  const cutShort = run.status === 'interrupted' || (run.status === 'idle' && RESUMABLE.has(run.outcome))
  return {
    ...(elsewhere && takeOver ? { takeOver } : {}),
    ...(cutShort && messages.length > 0 && !elsewhere && resume ? { resume } : {}),
    ...(run.status === 'running' && !elsewhere && stop ? { stop } : {}),
    ...(run.status === 'idle' && mode === 'plan' && todos.length > 0 && approvePlan ? { approvePlan } : {}),
    ...(request && !elsewhere ? { request } : {}),
  }
}
