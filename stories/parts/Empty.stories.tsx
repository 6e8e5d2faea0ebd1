import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** What stands where the list will be, as long as there is none. */
const meta = {
  title: 'TodoPanel/Parts/Empty',
  component: TodoPanel.Empty,
  argTypes: partDocs('Empty', 'p'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Empty: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={[]}>
        <TodoPanel.Empty />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getByText(/Nothing planned yet/)).toBeVisible()
  },
}
