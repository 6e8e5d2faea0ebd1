import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { wall } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** The state of a row, as a sign and as a word. */
const meta = {
  title: 'TodoPanel/Parts/ItemStatus',
  component: TodoPanel.ItemStatus,
  argTypes: partDocs('ItemStatus', 'span'),
} satisfies Meta

export default meta

type Story = StoryObj

export const ItemStatus: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={wall}>
        <TodoPanel.List>
          {(row) => (
            <TodoPanel.Item {...row}>
              <TodoPanel.ItemStatus />
              <TodoPanel.ItemContent>{row.todo.status}</TodoPanel.ItemContent>
            </TodoPanel.Item>
          )}
        </TodoPanel.List>
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getAllByRole('listitem')[4]).toHaveTextContent('To do: pending')
  },
}
