import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** Asks the model for a new item, and shows those that were asked for until they come. Nothing unless the panel is `editable`. */
const meta = {
  title: 'TodoPanel/Parts/Add',
  component: TodoPanel.Add,
  argTypes: partDocs('Add', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Add: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working} editable controls={{ request: fn() }}>
        <TodoPanel.Add />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: '+ Add an item' }))
    await userEvent.keyboard('Send it to Ana{Enter}')
    await expect(canvas.getByText('Asked to add “Send it to Ana”')).toBeVisible()
  },
}
