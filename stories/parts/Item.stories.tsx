import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** One row, of status, content, details and edit unless it is given other children. Renders again only when its todo or its place in the run changes. */
const meta = {
  title: 'TodoPanel/Parts/Item',
  component: TodoPanel.Item,
  argTypes: partDocs('Item', 'li', {
    todo: ['PanelTodo', 'What the row shows.'],
    current: ['boolean', 'The one item that is being worked on.', 'false'],
    paused: ['boolean', 'In progress, but its run is not running.', 'false'],
    draft: ["'partial' | 'complete' | null", 'Not committed yet.', 'null'],
    still: ['boolean', 'As it was at one moment: no clock.', 'false'],
    reason: ['string', 'Why it was completed.'],
    asked: ['TodoRequest', 'What the person asked for.'],
    labels: ['TodoPanelLabels', 'Every word.', 'enLabels'],
  }),
} satisfies Meta

export default meta

type Story = StoryObj

export const Item: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working}>
        <TodoPanel.List>{(row) => <TodoPanel.Item {...row} title={`Item ${row.todo.id}`} />}</TodoPanel.List>
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getAllByRole('listitem')[1]).toHaveAttribute('title', 'Item 2')
  },
}
