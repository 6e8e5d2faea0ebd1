import type { Meta, StoryObj } from '@storybook/react-vite'
import { lazy, Suspense } from 'react'
import { expect } from 'storybook/test'
import type { AnsweredBy } from './chatUis/serverChoice.ts'

// Each brings a library of its own, which no other story should wait for.
const UseChatPage = lazy(async () => ({ default: (await import('./chatUis/UseChatPage.tsx')).UseChatPage }))
const AssistantUiPage = lazy(async () => ({
  default: (await import('./chatUis/AssistantUiPage.tsx')).AssistantUiPage,
}))
const HandMadePage = lazy(async () => ({
  default: (await import('./chatUis/HandMadePage.tsx')).HandMadePage,
}))
const OwnLoopPage = lazy(async () => ({ default: (await import('./chatUis/OwnLoopPage.tsx')).OwnLoopPage }))

const meta = {
  title: 'Chat UIs',
  // A page of docs would load all of them at once.
  tags: ['!autodocs'],
  parameters: { layout: 'fullscreen' },
  args: { port: 0, speed: 1 },
  argTypes: {
    port: { control: 'number' },
    speed: { control: { type: 'number', min: 0.25, step: 0.25 } },
  },
  decorators: [
    (Story) => (
      <Suspense>
        <Story />
      </Suspense>
    ),
  ],
} satisfies Meta<AnsweredBy>

export default meta

type Story = StoryObj<typeof meta>

const patient = { timeout: 15_000 }

/** The AI SDK's `useChat` with `TodoChatTransport` and `useTodoChat`: two chats, each with its own list. The calculator asks first. */
export const UseChat: Story = {
  render: (args) => <UseChatPage {...args} />,
  play: async ({ canvas }) => {
    await canvas.findByRole('textbox', { name: 'Message' }, patient)
    await expect(canvas.getByRole('region', { name: 'Todos' })).toBeVisible()
  },
}

/** assistant-ui on the AI SDK: one thread for each session, the list as it was at each write in the transcript, and live beside it. */
export const AssistantUi: Story = {
  name: 'assistant-ui',
  render: (args) => <AssistantUiPage {...args} />,
  play: async ({ canvas }) => {
    await canvas.findByRole('textbox', { name: 'Message' }, patient)
    await expect(canvas.getByRole('region', { name: 'Todos' })).toBeVisible()
    await expect(canvas.getByRole('button', { name: 'New thread' })).toBeVisible()
  },
}

/** Nothing but React and `useTodoAgent`: the second sample of the README. */
export const HandMade: Story = {
  render: (args) => <HandMadePage {...args} />,
  play: async ({ canvas }) => {
    await canvas.findByRole('textbox', { name: 'Message' }, patient)
    await expect(canvas.getByRole('region', { name: 'Todos' })).toBeVisible()
  },
}

/** No AI SDK: a `fetch` loop of the host's own around `use-todo-agent/core`, and the panel beside it. It needs a server, Ollama for example. */
export const OwnLoop: Story = {
  render: (args) => <OwnLoopPage {...args} />,
  play: async ({ canvas }) => {
    await canvas.findByRole('textbox', { name: 'Message' }, patient)
    await expect(canvas.getByRole('region', { name: 'Todos' })).toBeVisible()
  },
}
