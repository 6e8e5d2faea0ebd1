import { Component, type ReactNode, type RefObject } from 'react'
import type { PanelState } from '../panelState.ts'
import { activeIn } from './activeIn.ts'
import { moveRows, type Place, places, rowsOf, settle } from './motion.ts'

/** Longer lists change at once: measuring each row would cost more than the movement is worth. */
const MAX_MOVING = 200

interface Before {
  /** `null` while the list is the same, and where nothing moves. */
  readonly places: ReadonlyMap<HTMLElement, Place> | null
  /** Something in the panel has the focus. */
  readonly held: boolean
  /** The row that it is in. */
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
 * completed is checked off, a list that was just finished settles once, and the focus stays in the panel when
 * what has it goes: in its place, where that was a row. A class, since nothing else can look at the page right
 * before it changes.
 */
export class Continuity extends Component<ContinuityProps> {
  private moves: readonly Animation[] = []

  override getSnapshotBeforeUpdate({ state }: ContinuityProps): Before | null {
    const { root, state: next } = this.props
    const panel = root.current
    const active = panel && activeIn(panel)
    const held = !!active && active !== panel && panel.contains(active)
    const same = isSameList(state, next)
    if (!panel || (same && !held)) return null
    const rows = rowsOf(panel)
    const index = held ? rows.findIndex((row) => row.contains(active)) : -1
    return { places: !same && this.mayMove(rows) ? places(rows) : null, held, focused: rows[index], index }
  }

  override componentDidUpdate({ state }: ContinuityProps, _: unknown, before: Before | null): void {
    const root = this.props.root.current
    if (!root || !before) return
    const rows = rowsOf(root)
    if (before.held && !activeIn(root)) {
      const { focused, index } = before
      const heir = focused?.isConnected ? focused : rows[Math.min(index, rows.length - 1)]
      ;(heir ?? root).focus({ preventScroll: true })
    }
    if (!before.places) return
    for (const move of this.moves) move.cancel()
    this.moves = []
    if (!this.mayMove(rows)) return
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
