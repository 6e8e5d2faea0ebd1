import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { exits } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** How the last run ended and what it left open. Nothing while one runs, and when all is done. */
const meta = {
  title: 'TodoPanel/Parts/Outcome',
  component: TodoPanel.Outcome,
  argTypes: partDocs('Outcome', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Outcome: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={exits} run={{ outcome: 'finished_with_open_todos' }}>
        <TodoPanel.Outcome />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Finished with 1 open')).toBeVisible()
  },
}
