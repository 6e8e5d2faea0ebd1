import { Markdown } from '@storybook/addon-docs/blocks'
import type { ReactElement } from 'react'

/** A page of `docs/`, whose links to other pages lead to their place in this Storybook. */
export function GuidePage({ children }: { children: string }): ReactElement {
  const text = children.replaceAll(
    /\]\((?:\.\.\/)?([\w-]+)\.md\)/g,
    (_, page: string) => `](./?path=/docs/guide-${page}--docs)`,
  )
  return <Markdown>{text}</Markdown>
}
