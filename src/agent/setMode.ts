import type { Modes } from '../core/mode.ts'
import type { TodoSession } from '../session/createTodoSession.ts'

/**
 * Sets the mode of a session for the host or the person. The model is told at the next request.
 *
 * @throws TypeError at the call, when there are no modes or not this one
 */
export function setMode(session: TodoSession, modes: Modes | null, mode: string): Promise<unknown> {
  if (!modes)
    throw new TypeError('`modes` is not set, so there is no mode to change. Pass `modes` to the agent.')
  modes.setByHost(modes.initial, mode)
  return session.commit((data) => {
    const state = modes.setByHost(modes.restore(data.mode, data.modeChange), mode)
    return state.mode === data.mode ? data : { ...data, mode: state.mode, modeChange: state.change }
  })
}

/** Approves a plan: sets the mode after `plan`, or none where the agent has none any more. False where `plan` is the last one. */
export async function leavePlan(session: TodoSession, modes: Modes | null): Promise<boolean> {
  if (!modes) {
    await session.commit((data) => ({ ...data, mode: null, modeChange: null }))
    return true
  }
  const next = modes.names[modes.names.indexOf('plan') + 1]
  if (next === undefined) return false
  await setMode(session, modes, next)
  return true
}
