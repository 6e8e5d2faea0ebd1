import { Component, type ReactNode, type RefObject } from 'react'
import type { PanelState } from '../panelState.ts'
import { activeIn } from './activeIn.ts'
import { moveRows, type Place, places, rowsOf, settle } from './motion.ts'

/** Longer lists change at once: measuring each row would cost more than the movement is worth. */
const MAX_MOVING = 200

interface Before {
  /** `null` where nothing moves. */
  readonly places: ReadonlyMap<HTMLElement, Place> | null
  /** The row that has the focus, or something in it. */
  readonly focused: HTMLElement | undefined
  readonly index: number
}

interface ContinuityProps {
  readonly root: RefObject<HTMLElement | null>
  readonly state: PanelState
  /** The list is shown as it was at one moment. */
  readonly still: boolean
  readonly children: ReactNode
}

/**
 * Takes the eye and the keyboard along when the list changes: rows move from where they were, what was just
 * completed is checked off, a list that was just finished settles once, and the focus stays in its place when
 * the row under it goes. A class, since nothing else can look at the page right before it changes.
 */
export class Continuity extends Component<ContinuityProps> {
  private moves: readonly Animation[] = []

  override getSnapshotBeforeUpdate({ state }: ContinuityProps): Before | null {
    const { root, state: next } = this.props
    if (!root.current || isSameList(state, next)) return null
    const rows = rowsOf(root.current)
    const active = activeIn(root.current)
    const index = active ? rows.findIndex((row) => row.contains(active)) : -1
    return { places: this.mayMove(rows) ? places(rows) : null, focused: rows[index], index }
  }

  override componentDidUpdate({ state }: ContinuityProps, _: unknown, before: Before | null): void {
    const root = this.props.root.current
    if (!root || !before) return
    const rows = rowsOf(root)
    if (before.focused && !activeIn(root)) {
      const heir = before.focused.isConnected ? before.focused : rows[Math.min(before.index, rows.length - 1)]
      ;(heir ?? root).focus({ preventScroll: true })
    }
    for (const move of this.moves) move.cancel()
    this.moves = []
    if (!before.places || !this.mayMove(rows)) return
    this.moves = moveRows(before.places, places(rows), this.props.state.running)
    if (isDone(this.props.state) && !isDone(state)) settle(root)
  }

  private mayMove(rows: readonly HTMLElement[]): boolean {
    return (
      !this.props.still &&
      rows.length <= MAX_MOVING &&
      // Where nothing is known of it (no browser, say), nothing moves.
      window.matchMedia?.('(prefers-reduced-motion: reduce)').matches === false
    )
  }

  override render(): ReactNode {
    return this.props.children
  }
}

function isSameList(one: PanelState, other: PanelState): boolean {
  return (
    one.todos.length === other.todos.length &&
    one.tentative.length === other.tentative.length &&
    one.todos.every((todo, index) => todo === other.todos[index])
  )
}

function isDone({ progress: { done, total } }: PanelState): boolean {
  return total > 0 && done === total
}
