import { createContext, useContext } from 'react'
import type { TodoRequest } from '../core/todo.ts'
import type { TodoPanelLabels } from './labels.ts'
import type { ListedRow, PanelControls, PanelState, VisibleRows } from './panelState.ts'

/** What the parts of one panel share. */
export interface Panel {
  readonly state: PanelState
  readonly labels: TodoPanelLabels
  /** The host's own before those of the session. */
  readonly controls: PanelControls
  /** The list is shown as it was at one moment. */
  readonly still: boolean
  readonly open: boolean
  readonly setOpen: (open: boolean) => void
  /** The rows that `maxVisible` allows. */
  readonly visible: VisibleRows
  /** The person asked for all rows. */
  readonly expanded: boolean
  readonly setExpanded: (expanded: boolean) => void
  /** What the person asked for and the list does not show yet. */
  readonly waiting: readonly TodoRequest[]
  /** Asks the model for a change of the list, where the panel is editable. */
  readonly ask: ((request: TodoRequest) => void) | undefined
  /** Of what the button that opens and closes controls. */
  readonly contentId: string
}

export const PanelContext = /* @__PURE__ */ createContext<Panel | null>(null)

export const RowContext = /* @__PURE__ */ createContext<ListedRow | null>(null)

/** The panel that a part stands in. */
export function usePanel(part: string): Panel {
  const panel = useContext(PanelContext)
  if (!panel) throw new Error(`<TodoPanel.${part}> has no panel. Put it inside <TodoPanel.Root>.`)
  return panel
}

/** The row that a part stands in. */
export function useRow(part: string): ListedRow {
  const row = useContext(RowContext)
  if (!row) throw new Error(`<TodoPanel.${part}> has no row. Put it inside <TodoPanel.Item>.`)
  return row
}
