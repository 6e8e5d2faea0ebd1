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
  // The context is made anew with each render of the provider; hooks below take single options out of it.
  return <TodoAgentContext.Provider value={useWithDefaults(defaults)}>{children}</TodoAgentContext.Provider>
}

/** The defaults that hold here; empty without a provider. */
export function useTodoAgentDefaults(): TodoAgentDefaults {
  return useContext(TodoAgentContext)
}

/** The given options, and the defaults that hold here for the others: one that is `undefined` is not given. */
export function useWithDefaults<Given extends object>(given: Given): TodoAgentDefaults & Given {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...useTodoAgentDefaults(), ...(Object.fromEntries(set) as Given) }
}
