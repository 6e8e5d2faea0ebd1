import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react'
import type { PanelState } from '../panelState.ts'

/** ms that a list which was just finished stays as it is, so that its last check is seen. */
const SETTLE = 1500

/** When a panel shows its list, and when it is there at all. */
export interface TodoPanelVisibility {
  /** Whether the list is shown, when the host decides it. */
  open?: boolean | undefined
  /** Whether the list is shown at first. @default false for the bar, true otherwise */
  defaultOpen?: boolean | undefined
  /**
   * The person opened or closed the list. What they chose holds for the session, in this tab, whatever
   * `whenDone` says.
   */
  onOpenChange?: ((open: boolean) => void) | undefined
  /**
   * What becomes of the panel when each item is done and no run is on: it stays, is closed, or is hidden as
   * long as it has nothing else to say. It waits while the person points at it or has the focus in it.
   * @default 'keep'
   */
  whenDone?: 'keep' | 'collapse' | 'hide' | undefined
  /** Whether a panel without any item is shown. @default 'show' */
  whenEmpty?: 'show' | 'hide' | undefined
}

/** What is shown of a panel: the host's word first, then the person's, then the policy. */
export function useVisibility(
  {
    open: given,
    defaultOpen = true,
    onOpenChange,
    whenDone = 'keep',
    whenEmpty = 'show',
  }: TodoPanelVisibility,
  { empty, running, progress: { done, total }, notices, end }: PanelState,
  root: RefObject<HTMLElement | null>,
  key: string | undefined,
): { open: boolean; hidden: boolean; setOpen: (open: boolean) => void } {
  const kept = useSyncExternalStore(never, () => read(key), nothing)
  const [chosen, setChosen] = useState<{ key: string | undefined; open: boolean } | null>(null)
  const choice = chosen && chosen.key === key ? chosen.open : kept

  const finished = total > 0 && done === total && !running
  const settled = useSettled(whenDone !== 'keep' && total > 0, finished, root)
  const open = given ?? choice ?? (defaultOpen && !(settled && whenDone === 'collapse'))
  const away = (settled && whenDone === 'hide' && !(given ?? choice)) || (empty && whenEmpty === 'hide')
  return {
    open,
    hidden: away && !end && notices.every(({ tone }) => tone === 'quiet'),
    setOpen(next) {
      setChosen({ key, open: next })
      write(key, next)
      onOpenChange?.(next)
    },
  }
}

/** Whether a list is finished and has been for a moment, or was already when it was first seen. */
function useSettled(watched: boolean, finished: boolean, root: RefObject<HTMLElement | null>): boolean {
  const [wasOpen, setWasOpen] = useState(false)
  useEffect(
    function settle() {
      if (!watched) return
      if (!finished) {
        setWasOpen(true)
        return
      }
      const timer = setInterval(() => {
        if (root.current?.matches(':is(:hover, :focus-visible, :has(:focus-visible))')) return
        clearInterval(timer)
        setWasOpen(false)
      }, SETTLE)
      return () => clearInterval(timer)
    },
    [watched, finished, root],
  )
  return finished && !wasOpen
}

// THE PERSON'S CHOICE, kept for the session in this tab

function read(key: string | undefined): boolean | null {
  try {
    const saved = key && sessionStorage.getItem(key)
    return saved ? saved === 'open' : null
  } catch {
    return null
  }
}

function write(key: string | undefined, open: boolean): void {
  try {
    if (key) sessionStorage.setItem(key, open ? 'open' : 'closed')
  } catch {
    // Without storage the choice holds as long as the panel.
  }
}

const never = () => () => {}
const nothing = () => null
