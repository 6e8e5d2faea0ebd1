import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** The list. It scrolls in itself and keeps the current item in view unless the person scrolled away. One stop of the Tab key: in it the arrow keys, Home and End go from row to row, and Enter opens what a row holds. */
const meta = {
  title: 'TodoPanel/Parts/List',
  component: TodoPanel.List,
  argTypes: partDocs('List', 'ol', {
    children: [
      '(row: ListedRow) => ReactElement',
      'Renders one row. Keep the function stable.',
      'a TodoPanel.Item',
    ],
  }),
} satisfies Meta

export default meta

type Story = StoryObj

export const List: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working}>
        <TodoPanel.List />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    const rows = canvas.getAllByRole('listitem')
    await userEvent.tab()
    await expect(rows[2]).toHaveFocus()
    await userEvent.keyboard('{ArrowDown}')
    await expect(rows[3]).toHaveFocus()
    await userEvent.keyboard('{Home}')
    await expect(rows[0]).toHaveFocus()
    await userEvent.keyboard('{End}')
    await expect(rows[4]).toHaveFocus()
  },
}
