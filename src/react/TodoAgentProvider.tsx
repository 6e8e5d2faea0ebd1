import { createContext, type ReactNode, useContext } from 'react'
import type { TodoAgentOptions } from '../agent/options.ts'
import type { SessionOptions } from './useSession.ts'

/** Defaults for every agent below: what a hook is not given, it takes from here. */
export type TodoAgentDefaults = Partial<TodoAgentOptions> & SessionOptions

const TodoAgentContext = createContext<TodoAgentDefaults>({})

/** Props of {@link TodoAgentProvider}: any option of an agent, and `storage`. */
export interface TodoAgentProviderProps extends TodoAgentDefaults {
  readonly children?: ReactNode
}

/**
 * Gives the agents below their model, tools and storage. Providers nest: the inner one wins, option by option.
 *
 * @example
 * ```tsx
 * <TodoAgentProvider model={model} tools={tools}>
 *   <Chat />
 * </TodoAgentProvider>
 * ```
 */
export function TodoAgentProvider({ children, ...defaults }: TodoAgentProviderProps): ReactNode {
  const outer = useContext(TodoAgentContext)
  // The context is made anew with each render of the provider; hooks below take single options out of it.
  const merged = withDefaults(defaults, outer)
  return <TodoAgentContext.Provider value={merged}>{children}</TodoAgentContext.Provider>
}

/** The given options, and the defaults for those that are not there or `undefined`. */
export function withDefaults<Options extends object>(
  given: Options,
  defaults: TodoAgentDefaults,
): TodoAgentDefaults & Options {
  const isGiven = ([, value]: [string, unknown]) => value !== undefined
  return { ...defaults, ...(Object.fromEntries(Object.entries(given).filter(isGiven)) as Options) }
}

/** The defaults that hold here; empty without a provider. */
export function useTodoAgentDefaults(): TodoAgentDefaults {
  return useContext(TodoAgentContext)
}
