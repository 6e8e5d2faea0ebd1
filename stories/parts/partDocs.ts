import { panelAttributes } from '../../src/panel/attributes.ts'

interface Doc {
  readonly description: string
  readonly control: false
  readonly table: {
    readonly category: string
    readonly type: { readonly summary: string }
    readonly defaultValue?: { readonly summary: string }
  }
}

/** The props that a docs page lists: what each part takes, its own props, and its attributes from the list that a test holds true. */
export function partDocs(
  part: string,
  element: string,
  own: Readonly<Record<string, readonly [type: string, description: string, fallback?: string]>> = {},
): Record<string, Doc> {
  const attributes: Readonly<Record<string, string>> =
    (panelAttributes as Readonly<Record<string, Readonly<Record<string, string>>>>)[part] ?? {}
  return {
    ...Object.fromEntries(
      Object.entries(own).map(([name, [type, description, fallback]]) => [
        name,
        doc('Props', type, description, fallback),
      ]),
    ),
    ref: doc('Every part', 'Ref', `Gets the \`<${element}>\`.`),
    className: doc('Every part', 'string', 'Stands after the class of the part.'),
    style: doc('Every part', 'CSSProperties', 'Goes to the element, as every other attribute does.'),
    render: doc(
      'Every part',
      '(props, state) => ReactElement',
      'Renders another element in its place, with all that the part would have given its own.',
    ),
    ...Object.fromEntries(
      Object.entries(attributes).map(([name, sentence]) => [name, doc('Attributes', 'attribute', sentence)]),
    ),
  }
}

function doc(category: string, summary: string, description: string, fallback?: string): Doc {
  return {
    description,
    control: false,
    table: { category, type: { summary }, ...(fallback && { defaultValue: { summary: fallback } }) },
  }
}
