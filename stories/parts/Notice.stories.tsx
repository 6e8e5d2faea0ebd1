import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** One notice: plain words, and at most one thing to do about it. */
const meta = {
  title: 'TodoPanel/Parts/Notice',
  component: TodoPanel.Notice,
  argTypes: partDocs('Notice', 'div', { notice: ['PanelNotice', 'What it says.'] }),
} satisfies Meta

export default meta

type Story = StoryObj

export const Notice: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working} run={{ status: 'interrupted' }} controls={{ resume: fn() }}>
        <TodoPanel.Notices>
          {(notice) => (
            <TodoPanel.Notice notice={notice} render={(props) => <aside {...props} aria-label="Notice" />} />
          )}
        </TodoPanel.Notices>
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getByRole('complementary')).toHaveTextContent(
      'Interrupted · everything up to here is saved',
    )
  },
}
