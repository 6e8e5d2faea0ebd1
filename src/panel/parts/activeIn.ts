/** What has the focus beside a node, in its document or its own shadow root: from outside of that root only the host would have it. */
export function activeIn(node: Node): Element | null {
  const active = (node.getRootNode() as Document | ShadowRoot).activeElement
  return active === node.ownerDocument?.body ? null : active
}
