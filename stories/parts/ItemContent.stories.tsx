import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { long } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/**
 * What is to be done, in its own direction, as plain text. A long one is cut after `--todo-max-lines` lines and offered whole as a tooltip, and
 * in a row that has the focus.
 */
const meta = {
  title: 'TodoPanel/Parts/ItemContent',
  component: TodoPanel.ItemContent,
  argTypes: partDocs('ItemContent', 'span'),
} satisfies Meta

export default meta

type Story = StoryObj

export const ItemContent: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={long}>
        <TodoPanel.List>
          {(row) => (
            <TodoPanel.Item {...row}>
              <TodoPanel.ItemStatus />
              <TodoPanel.ItemContent render={(props) => <em {...props} />} />
            </TodoPanel.Item>
          )}
        </TodoPanel.List>
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Short').tagName).toBe('EM')
  },
}

/** A click, a tap or the arrow keys take the focus to a row, which then shows its text whole. */
export const WholeWithTheFocus: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel todos={long.slice(3)} />
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    const text = canvas.getByText('A'.repeat(300))
    const cut = text.offsetHeight
    await userEvent.click(text)
    await expect(text.closest('li')).toHaveFocus()
    await expect(text.offsetHeight).toBeGreaterThan(cut)
  },
}
