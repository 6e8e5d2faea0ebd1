import type { StorybookConfig } from '@storybook/react-vite'
import type { Channel } from 'storybook/internal/channels'

const config: StorybookConfig & { experimental_serverChannel: (channel: Channel) => Channel } = {
  framework: { name: '@storybook/react-vite', options: { strictMode: true } },
  stories: ['../stories/**/*.@(mdx|stories.tsx)'],
  addons: ['@storybook/addon-docs', '@storybook/addon-a11y', '@storybook/addon-vitest'],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  features: { menuOnboardingChecklist: false, sidebarOnboardingChecklist: false },
  // Docgen parses all of node_modules too; the docs pages take their words from the stories.
  typescript: { reactDocgen: false },
  // The news are fetched at each start, shown or not, unless nobody listens.
  experimental_serverChannel: (channel) => {
    channel.removeAllListeners('requestWhatsNewData')
    return channel
  },
}

export default config
