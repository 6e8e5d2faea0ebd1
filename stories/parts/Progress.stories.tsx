import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { many, working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** The progress bar: one segment for each item in list order, one piece beyond 24 items. `--todo-progress` is the part that is done, from 0 to 1. */
const meta = {
  title: 'TodoPanel/Parts/Progress',
  component: TodoPanel.Progress,
  argTypes: partDocs('Progress', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Progress: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working}>
        <TodoPanel.Progress />
      </TodoPanel.Root>
      <TodoPanel.Root title="Many" todos={many(120, 50)}>
        <TodoPanel.Progress />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    const [few, many] = canvas.getAllByRole('progressbar')
    await expect(few).toHaveAttribute('aria-valuetext', '2 of 5')
    await expect(many).toHaveAttribute('data-continuous')
  },
}
