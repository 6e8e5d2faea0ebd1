import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** Asks the model to rename, leave or remove the item of a row. Nothing unless the panel is `editable`, and in rows that are finished or still being written. */
const meta = {
  title: 'TodoPanel/Parts/ItemEdit',
  component: TodoPanel.ItemEdit,
  argTypes: partDocs('ItemEdit', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const ItemEdit: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working} editable controls={{ request: fn() }}>
        <TodoPanel.List />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: 'Change: Work out 17% of the total' }))
    await expect(canvas.getByRole('textbox', { name: 'Rename' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect(canvas.queryByRole('textbox')).toBeNull()
    await expect(canvas.getAllByRole('listitem')[3]).toHaveFocus()
  },
}
