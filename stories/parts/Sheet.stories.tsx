import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** The card that the bar opens over the content. Escape closes it and gives the focus back. */
const meta = {
  title: 'TodoPanel/Parts/Sheet',
  component: TodoPanel.Sheet,
  argTypes: partDocs('Sheet', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Sheet: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working} variant="bar" defaultOpen className="story-low">
        <TodoPanel.Bar />
        <TodoPanel.Sheet>
          <TodoPanel.List />
        </TodoPanel.Sheet>
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    await userEvent.tab()
    await userEvent.keyboard('{Escape}')
    await expect(canvas.queryByRole('list')).toBeNull()
    await expect(canvas.getByRole('button')).toHaveFocus()
  },
}
