import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** The list in one line: what is being done, else how it stands, and how far it is. Opens and closes the sheet. */
const meta = {
  title: 'TodoPanel/Parts/Bar',
  component: TodoPanel.Bar,
  argTypes: partDocs('Bar', 'button'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Bar: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={working} variant="bar" className="story-low">
        <TodoPanel.Bar />
        <TodoPanel.Sheet>
          <TodoPanel.List />
        </TodoPanel.Sheet>
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    const bar = canvas.getByRole('button')
    await userEvent.click(bar)
    await expect(bar).toHaveAttribute('aria-expanded', 'true')
  },
}
