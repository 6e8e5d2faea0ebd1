import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { plan } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** What the person decides about a plan: approve it, or, where the host handles that, ask for changes. */
const meta = {
  title: 'TodoPanel/Parts/Actions',
  component: TodoPanel.Actions,
  argTypes: partDocs('Actions', 'div'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Actions: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={plan} mode="plan" controls={{ approvePlan, askForChanges: fn() }}>
        <TodoPanel.Actions />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: 'Approve plan' }))
    await expect(approvePlan).toHaveBeenCalled()
  },
}

const approvePlan = fn()
