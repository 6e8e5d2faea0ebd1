import type { JSX } from 'react'
import type { RowState } from '../labels.ts'
import { classOf } from './part.ts'

const shapes = {
  pending: '',
  draft: '',
  in_progress: 'M9 2.25A6.75 6.75 0 0 1 15.75 9M9 7.75a1.25 1.25 0 1 1-.01 0',
  paused: 'M7.2 6.6v4.8M10.8 6.6v4.8',
  completed: 'M5.6 9.3l2.3 2.3 4.5-4.8',
  blocked: 'M9 2.4 16 15H2ZM9 7v3.6M9 12.7v.1',
  cancelled: 'M6 9h6',
  chevron: 'M5 7l4 4 4-4',
  again: 'M14 9a5 5 0 1 1-1.5-3.6M14 3.5v2.4h-2.4',
} satisfies Record<RowState | 'chevron' | 'again', string>

/**
 * A sign, of a row's state or another one. Hidden from assistive technology: the words for it stand beside.
 */
export function Icon({ name = 'icon', of: shape }: { name?: string; of: keyof typeof shapes }): JSX.Element {
  const current = shape === 'in_progress'
  const full = shape === 'completed'
  // Colours and strokes are attributes, so that the signs are right without the stylesheet too.
  return (
    <svg
      className={classOf(name)}
      viewBox="0 0 18 18"
      width="18"
      fill="none"
      stroke="currentColor"
      strokeWidth={current ? 2 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {name === 'icon' && shape !== 'blocked' && (
        <circle
          cx="9"
          cy="9"
          r="6.75"
          fill={full ? 'currentColor' : undefined}
          strokeOpacity={current ? 0.28 : undefined}
          strokeDasharray={shape === 'draft' ? '2.2 2.6' : undefined}
        />
      )}
      <path d={shapes[shape]} stroke={full ? 'canvas' : undefined} />
    </svg>
  )
}
