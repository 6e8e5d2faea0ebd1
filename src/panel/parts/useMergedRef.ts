import { type ForwardedRef, type RefObject, useCallback } from 'react'

/** One ref for an element that both the part and its user want to know. */
export function useMergedRef<Node>(own: RefObject<Node | null>, given: ForwardedRef<Node>) {
  return useCallback(
    // What a ref of the user returns is its cleanup, since React 19.
    (node: Node | null): unknown => {
      own.current = node
      if (typeof given === 'function') return given(node)
      if (given) given.current = node
    },
    [own, given],
  )
}
