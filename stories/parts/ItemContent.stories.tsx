import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { long } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** What is to be done, in its own direction, as plain text. A long one is cut after `--todo-max-lines` lines and offered whole as a tooltip. */
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
