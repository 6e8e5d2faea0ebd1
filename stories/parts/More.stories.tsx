import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** Says how many rows `maxVisible` leaves out, and shows them all. */
const meta = {
  title: 'TodoPanel/Parts/More',
  component: TodoPanel.More,
  argTypes: partDocs('More', 'button'),
} satisfies Meta

export default meta

type Story = StoryObj

export const More: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working} maxVisible={3}>
        <TodoPanel.List />
        <TodoPanel.More />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: '+2 more' }))
    await expect(canvas.getAllByRole('listitem')).toHaveLength(5)
    await expect(canvas.getByRole('button', { name: 'Show fewer' })).toHaveFocus()
  },
}
