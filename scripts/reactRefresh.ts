import * as runtime from 'react-refresh/runtime'

// Before React DOM is loaded: it looks for the hook then, and never again.
runtime.injectIntoGlobalHook(window)

/**
 * What a dev server does when a component was edited: puts the new one where the old one was. With another signature of its hooks the
 * component is mounted anew. Tests only, and imported before anything that imports React DOM.
 */
export function refresh(name: string, component: unknown, hooks: string): void {
  runtime.register(component, name)
  runtime.setSignature(component, hooks)
  runtime.performReactRefresh()
}
