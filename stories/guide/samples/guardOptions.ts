import type { TodoAgentOptions } from 'use-todo-agent'
import { todosCompleted } from 'use-todo-agent/core'

export const lenient: Partial<TodoAgentOptions> = {
  guard: { maxCorrections: 1, staleAfter: 10, staleEvery: 10 },
}

export const off: Partial<TodoAgentOptions> = { guard: false }

export const ownWords: Partial<TodoAgentOptions> = {
  texts: {
    correction: ({ open }) =>
      `Not done yet: ${open.map((todo) => todo.content).join(', ')}. Finish these, or say why not.`,
  },
}

export const honestExits: Partial<TodoAgentOptions> = { todo: { exits: true } }

export const untilDone: Partial<TodoAgentOptions> = {
  loop: { evaluators: [todosCompleted()], maxIterations: 5 },
}
