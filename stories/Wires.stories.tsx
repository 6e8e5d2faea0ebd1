import type { Meta, StoryObj } from '@storybook/react-vite'
import { WirePage } from './wires/WirePage.tsx'

const meta = {
  title: 'Wires',
  component: WirePage,
  // Only a test can do something with it, so it is neither listed, documented nor run with the stories.
  tags: ['!dev', '!autodocs', '!test'],
  parameters: { layout: 'fullscreen' },
} satisfies Meta<typeof WirePage>

export default meta

/** An agent on real provider packages, whose servers a test plays. */
export const Wired: StoryObj<typeof meta> = {}
