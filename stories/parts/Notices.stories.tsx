import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import { working } from '../panel/panelData.ts'
import { partDocs } from './partDocs.ts'
import '../panel/panel.css'

/** What the person should know right now: the guard asked the model to continue, the run was interrupted or goes on in another tab, the list is not saved. */
const meta = {
  title: 'TodoPanel/Parts/Notices',
  component: TodoPanel.Notices,
  argTypes: partDocs('Notices', 'div', {
    children: ['(notice: PanelNotice) => ReactElement', 'Renders one notice.', 'a TodoPanel.Notice'],
  }),
} satisfies Meta

export default meta

type Story = StoryObj

export const Notices: Story = {
  render: () => (
    <div className="story-panel story-part">
      <TodoPanel.Root
        todos={working}
        driver="other"
        persistence="failed"
        run={{ status: 'running', correction: { count: 1, max: 3, open: 2 } }}
        controls={{ takeOver: fn() }}
      >
        <TodoPanel.Notices />
      </TodoPanel.Root>
    </div>
  ),
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Asked to continue')).toBeVisible()
    await expect(canvas.getByRole('button', { name: 'Take over' })).toBeVisible()
  },
}
