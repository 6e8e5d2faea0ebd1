import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { TodoPanel, useTodoAgent } from 'use-todo-agent'
import 'use-todo-agent/styles.css'

const model = createOpenAICompatible({ name: 'ollama', baseURL: 'http://localhost:11434/v1' })('qwen3')

export default function App() {
  const agent = useTodoAgent({ sessionId: 'demo', model })
  return (
    <main>
      <TodoPanel session={agent.session} />
      <button type="button" onClick={() => agent.send('Plan a weekend in Lyon: train, hotel, three meals')}>
        Go
      </button>
      <p>{agent.messages.at(-1)?.parts.map((part) => (part.type === 'text' ? part.text : ''))}</p>
    </main>
  )
}
