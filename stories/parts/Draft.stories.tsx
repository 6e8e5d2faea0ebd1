import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { plan, planDraft } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** The mark of a row that is not committed: a caret after its text while that is arriving. A part of the row and no row of its own, so that the row keeps its element as it becomes firm. */
const meta = {
  title: 'TodoPanel/Parts/Draft',
  component: TodoPanel.Draft,
  argTypes: partDocs('Draft', 'span'),
} satisfies Meta

export default meta

type Story = StoryObj

export const Draft: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root todos={plan} draft={planDraft}>
        <TodoPanel.List />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    const rows = canvas.getAllByRole('listitem')
    await expect(rows.map((row) => row.getAttribute('data-draft'))).toEqual([
      null,
      null,
      'complete',
      'partial',
    ])
  },
}
