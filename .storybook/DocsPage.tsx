import { DocsContainer, type DocsContainerProps } from '@storybook/addon-docs/blocks'
import { type PropsWithChildren, type ReactElement, useEffect, useState } from 'react'
import { GLOBALS_UPDATED, SET_GLOBALS } from 'storybook/internal/core-events'
import { themes } from 'storybook/theming'

type Scheme = 'light' | 'dark'
type Channel = DocsContainerProps['context']['channel']

/** A page of docs in the colours that the toolbar has chosen, as stories are. */
export function DocsPage(props: PropsWithChildren<DocsContainerProps>): ReactElement {
  const scheme = useScheme(props.context.channel)
  useEffect(
    function colourPage() {
      document.documentElement.style.colorScheme = scheme
    },
    [scheme],
  )
  return <DocsContainer {...props} theme={themes[scheme]} />
}

function useScheme(channel: Channel): Scheme {
  const [scheme, setScheme] = useState(() =>
    schemeOf(channel.last(GLOBALS_UPDATED) ?? channel.last(SET_GLOBALS)),
  )
  useEffect(
    function followToolbar() {
      const follow = (payload: unknown) => setScheme(schemeOf([payload]))
      channel.on(GLOBALS_UPDATED, follow)
      return () => channel.off(GLOBALS_UPDATED, follow)
    },
    [channel],
  )
  return scheme
}

function schemeOf(payload: unknown): Scheme {
  const [{ globals }] = (payload ?? [{}]) as [{ globals?: { colorScheme?: unknown } }]
  return globals?.colorScheme === 'dark' ? 'dark' : 'light'
}
