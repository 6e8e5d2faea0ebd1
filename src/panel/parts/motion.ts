// All of it by the Web Animations API: it needs no stylesheet, and runs only when something has changed.

const EASING = 'cubic-bezier(0.2, 0, 0, 1)'
const STEP = { duration: 250, easing: EASING }

export interface Place {
  /** px from the start of the list, with the movement that is going on. */
  readonly top: number
  readonly status: string | undefined
}

/** The committed and tentative rows of a panel. */
export function rowsOf(root: HTMLElement): readonly HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('.todo-panel-item')]
}

/** Where each row stands in its list, however far that is scrolled. */
export function places(rows: readonly HTMLElement[]): ReadonlyMap<HTMLElement, Place> {
  const list = rows[0]?.parentElement
  if (!list) return new Map()
  const start = list.getBoundingClientRect().top
  const scale = scaleOf(list)
  return new Map(
    rows.map((row) => {
      const top = (row.getBoundingClientRect().top - start) / scale + list.scrollTop
      return [row, { top, status: row.dataset.status }]
    }),
  )
}

/** How many px of the screen one px of an element is. */
export function scaleOf(element: HTMLElement): number {
  return element.getBoundingClientRect().height / element.offsetHeight || 1
}

/**
 * Moves rows from where they were to where they are, and checks off what was just completed. Rows that are
 * new come in if `arriving`: by script, since to a stylesheet a row that React moves is a new one too.
 */
export function moveRows(
  before: ReadonlyMap<HTMLElement, Place>,
  after: ReadonlyMap<HTMLElement, Place>,
  arriving: boolean,
): readonly Animation[] {
  const moves: Animation[] = []
  const list = [...after.keys()][0]?.parentElement
  const fits = list && list.scrollHeight <= list.clientHeight
  for (const [row, { top, status }] of after) {
    const was = before.get(row)
    if (!was) {
      if (arriving) row.animate({ opacity: [0, 1], translate: ['0 4px', '0 0'] }, STEP)
      continue
    }
    const by = was.top - top
    if (Math.abs(by) > 1) {
      // Added to what moves it already, which its place was measured with.
      moves.push(row.animate({ translate: [`0 ${by}px`, '0 0'] }, { ...STEP, composite: 'add' }))
    }
    if (status === 'completed' && was.status !== status) checkOff(row)
  }
  // A row that comes from below would make a list without a scroll bar grow one on its way.
  if (fits && moves.length > 0) moves.push(list.animate({ overflowY: ['hidden', 'hidden'] }, 250))
  return moves
}

function checkOff(row: HTMLElement): void {
  const icon = row.querySelector('.todo-panel-icon')
  icon?.animate({ scale: [0.7, 1.12, 1] }, { duration: 350, easing: EASING })
  icon
    ?.querySelector('path')
    ?.animate({ strokeDasharray: ['0 24', '24 24'] }, { duration: 300, delay: 80, fill: 'backwards' })
}

/** One wave along the progress bar. */
export function settle(root: HTMLElement): void {
  root.querySelectorAll('.todo-panel-segment, .todo-panel-fill').forEach((piece, index) => {
    piece.animate({ scale: ['1', '1 2', '1'] }, { duration: 450, delay: 200 + index * 25, easing: EASING })
  })
}
