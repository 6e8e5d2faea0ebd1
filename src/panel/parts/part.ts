import {
  type ComponentPropsWithoutRef,
  type ComponentRef,
  createElement,
  type ForwardedRef,
  type ForwardRefExoticComponent,
  forwardRef,
  type JSX,
  type PropsWithoutRef,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
} from 'react'
import { usePanel, useRow } from '../context.ts'

type Tag = keyof JSX.IntrinsicElements

/** The props of every part: those of its element, and a way to render another one in its place. */
export type PartProps<Name extends Tag, State> = ComponentPropsWithoutRef<Name> & {
  /**
   * Renders another element in place of the part's own: `render={(props, state) => <h2 {...props} />}`.
   * `props` holds all that the part would have given its element, `ref` and children included.
   */
  render?: ((props: ElementProps, state: State) => ReactElement) | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: which element these go to is the host's choice.
export type ElementProps = Record<string, any>

/**
 * What a part is made of: its state, the props of its element (the user's among them, last), and its
 * children.
 */
type Made<State> = readonly [state: State, props: ElementProps, children?: ReactNode]

/** Makes parts that read what `useShared` gives them. */
function partsOf<Shared>(useShared: (part: string) => Shared) {
  /**
   * A part of the panel: one element that takes the user's `className`, `style`, `ref`, rest and `render`, and
   * shows its state as `data-*`. `make` may call hooks; a part with nothing to show makes `null`.
   */
  return function part<Name extends Tag, State extends object, Own = unknown>(
    title: string,
    tag: Name,
    make: (
      shared: Shared,
      props: Omit<PartProps<Name, State>, keyof Own> & Own,
      ref: ForwardedRef<ComponentRef<Name>>,
    ) => Made<State> | null,
  ): ForwardRefExoticComponent<
    PropsWithoutRef<Omit<PartProps<Name, State>, keyof Own> & Own> & RefAttributes<ComponentRef<Name>>
  > {
    const Part = forwardRef<ComponentRef<Name>, Omit<PartProps<Name, State>, keyof Own> & Own>(
      (props, ref) => {
        const made = make(useShared(title), props as never, ref)
        return made && renderPart(tag, title, ref, ...made)
      },
    )
    Part.displayName = `TodoPanel.${title}`
    return Part
  }
}

/** A part that stands in a panel. */
export const part = /* @__PURE__ */ partsOf(usePanel)

/** A part that stands in a row. */
export const rowPart = /* @__PURE__ */ partsOf(useRow)

/** One element, with its class and its state as attributes. */
export function renderPart<State extends object>(
  tag: Tag,
  title: string,
  ref: unknown,
  state: State,
  { render, className, ...props }: ElementProps,
  children?: ReactNode,
): ReactElement {
  const name = classOf(title.toLowerCase().replace(/^item(?=.)/, ''))
  const all = {
    ref,
    ...dataAttributes(state),
    ...props,
    className: className ? `${name} ${className}` : name,
    children,
  }
  return render ? render(all, state) : createElement(tag, all)
}

/** `todo-panel` for the root, `todo-panel-<name>` for all else. */
export function classOf(name: string): string {
  return name === 'root' ? 'todo-panel' : `todo-panel-${name}`
}

/** State as `data-*`: true is a bare attribute, a word is its value, anything else is no attribute. */
export function dataAttributes(state: object): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(state)) {
    if (value) attributes[`data-${name}`] = value === true ? '' : value
  }
  return attributes
}

/** The user's handler, then ours unless theirs prevented it. */
export function chain<Event extends { readonly defaultPrevented: boolean }>(
  theirs: ((event: Event) => void) | undefined,
  ours: (event: Event) => void,
): (event: Event) => void {
  return (event) => {
    theirs?.(event)
    if (!event.defaultPrevented) ours(event)
  }
}
