import type { ReactNode } from 'react'
import 'use-todo-agent/styles.css'

export const metadata = { title: 'An agent with a list' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <link rel="icon" href="data:," />
      </head>
      <body>{children}</body>
    </html>
  )
}
