import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { exits, working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** What there is to know beside the text: the time it took or the word for its state, the description while it is of use, what the person asked for, and why an item was cancelled, blocked or completed. */
const meta = {
  title: 'TodoPanel/Parts/ItemDetails',
  component: TodoPanel.ItemDetails,
  argTypes: partDocs('ItemDetails', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const ItemDetails: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root
        todos={[...working, ...exits.slice(2).map((todo) => ({ ...todo, id: `b${todo.id}` }))]}
        reasons={{ 1: 'All 200 rows were read' }}
      >
        <TodoPanel.List />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    await expect(canvas.getByText('Needs an approval that only the owner can give')).toBeVisible()
    await userEvent.click(canvas.getByText('How it was finished'))
    await expect(canvas.getByText('All 200 rows were read')).toBeVisible()
  },
}
