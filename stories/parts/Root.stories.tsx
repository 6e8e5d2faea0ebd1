import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import { rootProps } from './rootProps.ts'
import '../panel/panel.css'

/** The frame: gives its parts the view, the words and the open state, takes the focus by a shortcut, and speaks for all of them to screen readers. Each part but those of a row stands in one. */
const meta = {
  title: 'TodoPanel/Parts/Root',
  component: TodoPanel.Root,
  argTypes: partDocs('Root', 'section', rootProps),
} satisfies Meta

export default meta

type Story = StoryObj

export const Root: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working}>
        <TodoPanel.Header />
        <TodoPanel.List />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getByRole('region', { name: 'Todos' })).toHaveAttribute('data-run', 'running')
  },
}
