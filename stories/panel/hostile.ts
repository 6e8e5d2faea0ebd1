/**
 * Rules of the kind that pages set for all of their elements, and that no panel should be bent by. Nothing that is
 * inherited: a panel speaks in the type of its page.
 */
export const hostRules = `
  * { margin: 7px; }
  section, header, div, p, span { padding: 20px; background: gold; }
  ol, ul { margin: 2em; padding-inline-start: 60px; border: 1px solid; }
  li { padding: 12px; border: 3px dotted red; }
  li + li { margin-block-start: 2em; }
  button { padding: 20px; background: crimson; border: 4px solid black; border-radius: 0; }
  svg { width: 60px; height: 60px; display: inline; }
`
