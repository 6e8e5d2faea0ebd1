import type { Meta, StoryObj } from '@storybook/react-vite'
import { PlaygroundPage } from './playground/PlaygroundPage.tsx'
import { TwoSessionsPage } from './playground/TwoSessionsPage.tsx'

const meta = {
  title: 'Playground',
  component: PlaygroundPage,
  // A page of docs would show all stories at once, and they share a session.
  tags: ['!autodocs'],
  parameters: { layout: 'fullscreen' },
  args: { behaviour: 'steady', speed: 1, sessionId: 'playground' },
  argTypes: {
    behaviour: { control: 'inline-radio', options: ['steady', 'forgetful', 'lazy', 'hopeless'] },
    speed: { control: { type: 'number', min: 0.25, step: 0.25 } },
    sessionId: { control: 'text' },
  },
  render: (args) => <PlaygroundPage key={Object.values(args).join(' ')} {...args} />,
} satisfies Meta<typeof PlaygroundPage>

export default meta

type Story = StoryObj<typeof meta>

/** A chat with an agent that keeps a list. Paste data, ask for several things, stop it, reload the page. */
export const Playground: Story = {}

/** A model that answers before its list is done. The guard asks it to continue, once, and it finishes. */
export const Forgetful: Story = {
  args: { behaviour: 'forgetful', sessionId: 'playground-forgetful' },
}

/** Two agents in one page. Their sessions never see each other. */
export const TwoSessions: Story = {
  args: { sessionId: 'playground-two' },
  render: (args) => <TwoSessionsPage key={Object.values(args).join(' ')} {...args} />,
}
