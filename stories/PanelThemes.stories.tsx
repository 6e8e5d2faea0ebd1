import type { Meta, StoryObj } from '@storybook/react-vite'
import { type ReactElement, type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import { expect } from 'storybook/test'
import { TodoPanel } from 'use-todo-agent/panel'
import panelStyles from '../src/panel/styles.css?inline'
import { hostRules } from './panel/hostile.ts'
import { exits, working } from './panel/panelData.ts'
import './panel/panel.css'
import './panel/themes.css'

/**
 * A theme is a set of custom properties on the panel or on anything around it. Rules of the page that are in no
 * layer win over the panel’s, so that each look can be changed; a page whose bare `li {}` or `button {}` should
 * not do that puts them into a layer before `todo-panel`, or the panel into a shadow root.
 */
const meta = {
  title: 'TodoPanel/Themes',
  component: TodoPanel,
  args: { todos: working },
  render: () => <Pair />,
} satisfies Meta<typeof TodoPanel>

export default meta

type Story = StoryObj<typeof meta>

/** As it comes. */
export const Default: Story = {}

/** Follows the variables of a page that uses shadcn/ui, light and dark. */
export const Shadcn: Story = {
  name: 'Variables of shadcn',
  render: () => (
    <div className="theme-shadcn">
      <Pair />
    </div>
  ),
}

export const ShadcnDark: Story = {
  ...Shadcn,
  name: 'Variables of shadcn, dark',
  globals: { colorScheme: 'dark' },
}

/** Dense, square, in one width of letters, and dark on any page. */
export const Terminal: Story = {
  render: () => (
    <div className="theme-terminal">
      <Pair />
    </div>
  ),
}

/** In a shadow root nothing of the page’s rules gets in, and nothing of the panel’s gets out. */
export const ShadowRoot: Story = {
  name: 'In a shadow root, on a page with rules of its own',
  render: () => (
    <>
      <style>{`@scope (.story-host) { ${hostRules} }`}</style>
      <div className="story-host">
        <Shadow>
          <TodoPanel todos={working} />
        </Shadow>
      </div>
    </>
  ),
  play: async ({ canvasElement }) => {
    const root = canvasElement.querySelector('.story-shadow')?.shadowRoot
    const row = root?.querySelector('li') as HTMLElement
    await expect(getComputedStyle(row).borderTopStyle).toBe('none')
    await expect(getComputedStyle(row).listStyleType).toBe('none')
  },
}

function Pair(): ReactElement {
  return (
    <div className="story-wall story-columns">
      <TodoPanel todos={working} />
      <TodoPanel title="Ended" todos={exits} run={{ outcome: 'finished_with_open_todos' }} />
    </div>
  )
}

/** Its children in a shadow root that has the stylesheet of the panel and no other. */
function Shadow({ children }: { children: ReactNode }): ReactElement {
  const [root, setRoot] = useState<ShadowRoot | null>(null)
  return (
    <div
      className="story-shadow story-panel"
      ref={(host) => setRoot(host && (host.shadowRoot ?? host.attachShadow({ mode: 'open' })))}
    >
      {root &&
        createPortal(
          <>
            <style>{panelStyles}</style>
            {children}
          </>,
          root,
        )}
    </div>
  )
}
