import type { Decorator, Preview } from '@storybook/react-vite'
import { useLayoutEffect } from 'react'
import { configure } from 'storybook/test'
import 'use-todo-agent/styles.css'
import { DocsPage } from './DocsPage.tsx'

// A slow machine should make play functions slow, not red.
configure({ asyncUtilTimeout: 20_000 })

const withColorScheme: Decorator = (Story, { globals }) => {
  const scheme: string = globals.colorScheme
  useLayoutEffect(() => {
    const { documentElement: html } = document
    html.dataset.theme = scheme
    html.style.colorScheme = scheme
  }, [scheme])
  return <Story />
}

/** What is half faded in has half its contrast: the check that follows is of what the person is left with. */
async function endOfMovement(): Promise<void> {
  const movements = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  await Promise.allSettled(movements.map(({ finished }) => finished))
}

const preview: Preview = {
  tags: ['autodocs'],
  decorators: [withColorScheme],
  afterEach: endOfMovement,
  globalTypes: {
    colorScheme: {
      description: 'Light or dark',
      toolbar: {
        title: 'Colours',
        dynamicTitle: true,
        items: [
          { value: 'light', icon: 'sun', title: 'Light' },
          { value: 'dark', icon: 'moon', title: 'Dark' },
        ],
      },
    },
  },
  initialGlobals: { colorScheme: 'light' },
  parameters: {
    a11y: { test: 'error' },
    backgrounds: { disable: true },
    controls: { expanded: true },
    docs: { container: DocsPage },
    options: {
      storySort: {
        order: [
          'Playground',
          'Guide',
          ['The guard', 'Persistence and tabs', 'Your own panel', 'Testing', 'Servers', 'Security', 'API'],
          '*',
        ],
      },
    },
  },
}

export default preview
