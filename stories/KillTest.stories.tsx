import type { Meta, StoryObj } from '@storybook/react-vite'
import { DrivenPage } from './driven/DrivenPage.tsx'

const meta = {
  title: 'KillTest',
  component: DrivenPage,
  // Only a test can do something with it, so it is neither listed, documented nor run with the stories.
  tags: ['!dev', '!autodocs', '!test'],
  args: { port: 0, sessionId: 'driven', toolset: 'write_todos' },
  argTypes: {
    port: { control: 'number' },
    sessionId: { control: 'text' },
    toolset: { options: ['write_todos', 'todos'] },
  },
} satisfies Meta<typeof DrivenPage>

export default meta

/** An agent that the tests of killed browsers and of several tabs drive from outside. */
export const Driven: StoryObj<typeof meta> = {}
