import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** Title, mode, how far the list is, and the button that opens and closes it. While the list is closed the current item stands here. */
const meta = {
  title: 'TodoPanel/Parts/Header',
  component: TodoPanel.Header,
  argTypes: partDocs('Header', 'header', {
    collapsible: ['boolean', 'Whether the person can close the list.', 'true'],
  }),
} satisfies Meta

export default meta

type Story = StoryObj

export const Header: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working}>
        <TodoPanel.Header />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    const toggle = canvas.getByRole('button', { name: 'Todos' })
    await userEvent.click(toggle)
    await expect(toggle).toHaveAttribute('aria-expanded', 'false')
    await expect(canvas.getByText('Find the most frequent city')).toBeVisible()
  },
}
