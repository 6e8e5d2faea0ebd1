import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { getTodoSession, indexedDbStorage, type SessionStorage } from 'use-todo-agent'
import { idleRun } from 'use-todo-agent/core'
import { SessionsPage } from './sessionList/SessionsPage.tsx'
import { exportedText, fewSeeds, manySeeds, memoryWith, type Seed, saveSeeds } from './sessionList/seed.ts'

// On a slow machine the first read of a thousand takes its time.
const patient = { timeout: 15_000 }

interface Loaded {
  readonly storage: SessionStorage
}

/** Each time the story is opened it begins with these. */
const withSeeds = (seeds: readonly Seed[]) => async (): Promise<Loaded> => ({
  storage: await memoryWith(seeds),
})

const meta = {
  title: 'SessionList',
  component: SessionsPage,
  // A page of docs would show all stories at once.
  tags: ['!autodocs'],
  parameters: { layout: 'fullscreen', controls: { disable: true } },
  args: { storage: undefined as never },
  loaders: [withSeeds(fewSeeds)],
  render: (_args, { loaded }) => <SessionsPage {...(loaded as Loaded)} />,
} satisfies Meta<typeof SessionsPage>

export default meta

type Story = StoryObj<typeof meta>
type Canvas = ReturnType<typeof within>

const titles = (canvas: Canvas) =>
  canvas.getAllByRole('listitem').map((row: HTMLElement) => row.querySelector('.sl-title')?.textContent)

async function openActions(canvas: Canvas, title: string) {
  await userEvent.click(await canvas.findByRole('button', { name: `Actions for ${title}` }))
  return within(canvas.getByRole('group', { name: `Actions for ${title}` }))
}

/** What is saved in this browser, the one changed last first. A click opens it beside the list. */
export const Sessions: Story = {
  play: async ({ canvas }) => {
    await canvas.findByText('Trip to Lyon')
    await expect(titles(canvas)[0]).toMatch(/^Compare the three offers/)
    const rows = canvas.getAllByRole('listitem')
    await expect(rows[0]).toHaveTextContent('2 of 4 · 15 min. agoInterrupted')
    await expect(rows[3]).toHaveTextContent('No list · 3 days ago')
    await userEvent.click(canvas.getByRole('button', { name: /^Sum up the orders/ }))
    await expect(canvas.getByRole('button', { name: /^Sum up/ })).toHaveAttribute('aria-current', 'true')
    const panel = within(canvas.getByRole('main'))
    await waitFor(() => expect(panel.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '3 of 3'))
  },
}

export const SessionsDark: Story = {
  name: 'Sessions, dark',
  globals: { colorScheme: 'dark' },
}

/** Rename, duplicate and delete come up under the row. Deleting asks first. */
export const TidyUp: Story = {
  play: async ({ canvas }) => {
    await userEvent.click((await openActions(canvas, 'Trip to Lyon')).getByRole('button', { name: 'Rename' }))
    const input = canvas.getByRole('textbox', { name: 'Title' })
    await expect(input).toHaveFocus()
    await userEvent.clear(input)
    await userEvent.type(input, 'Four days in Lyon{Enter}')
    await waitFor(() => expect(titles(canvas)[0]).toBe('Four days in Lyon'))

    await userEvent.click((await openActions(canvas, 'Hello')).getByRole('button', { name: 'Duplicate' }))
    await waitFor(() => expect(titles(canvas)).toHaveLength(6))
    await expect(titles(canvas)[0]).toBe('Hello (copy)')

    await userEvent.click((await openActions(canvas, 'Untitled')).getByRole('button', { name: 'Delete' }))
    await expect(canvas.getByText('Delete it for good?')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect(canvas.getByRole('button', { name: 'Actions for Untitled' })).toHaveFocus()
    await expect(titles(canvas)).toHaveLength(6)
    await userEvent.click((await openActions(canvas, 'Untitled')).getByRole('button', { name: 'Delete' }))
    await userEvent.click(canvas.getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(titles(canvas)).not.toContain('Untitled'))
  },
}

/** A file that was exported comes back, beside the one that is still there. Any other file is refused in words. */
export const ExportAndImport: Story = {
  name: 'Export and import',
  play: async ({ canvas, canvasElement }) => {
    await canvas.findByText('Trip to Lyon')
    const picker = canvasElement.querySelector<HTMLInputElement>('input[type=file]')!
    const choose = (text: string) =>
      userEvent.upload(picker, new File([text], 'session.json', { type: 'application/json' }))
    await choose(await exportedText(fewSeeds[2]!))
    await waitFor(() => expect(titles(canvas)).toHaveLength(6))
    await expect(titles(canvas)[0]).toBe('Trip to Lyon')
    await choose('{ "todos": [] }')
    await waitFor(() =>
      expect(canvas.getByRole('alert')).toHaveTextContent('This is no session that can be imported.'),
    )
    await expect(titles(canvas)).toHaveLength(6)
  },
}

export const DeleteAll: Story = {
  name: 'Delete all',
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: 'Delete all' }))
    await expect(canvas.getByText('Delete all 5 for good?')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Delete all' }))
    await expect(await canvas.findByText('Nothing saved yet.')).toBeVisible()
  },
}

/** A run that another tab is at. The lock of that tab says so; once it is gone, the run is an interrupted one. */
export const RunningElsewhere: Story = {
  name: 'Running in another tab',
  loaders: [
    async () => {
      const databaseName = `story-elsewhere-${crypto.randomUUID()}`
      const [storage, theirs] = [indexedDbStorage({ databaseName }), indexedDbStorage({ databaseName })]
      await saveSeeds(storage, fewSeeds.slice(1, 4))
      const session = getTodoSession('lyon', { storage: theirs })
      const claim = await session.claim()
      await session.commit((data) => ({
        ...data,
        run: { ...idleRun, status: 'running', startedAt: Date.now() },
      }))
      return { storage, claim }
    },
  ],
  play: async ({ canvas, loaded }) => {
    await expect(await canvas.findByText('Running in another tab')).toBeVisible()
    loaded.claim.release()
    await expect(await canvas.findByText('Interrupted')).toBeVisible()
  },
}

export const Empty: Story = {
  loaders: [withSeeds([])],
  play: async ({ canvas }) => {
    await expect(await canvas.findByText('Nothing saved yet.')).toBeVisible()
    await expect(canvas.queryByRole('button', { name: 'Delete all' })).toBeNull()
  },
}

/** The browser does not let the page store anything. */
export const NoStorage: Story = {
  name: 'Storage fails',
  loaders: [
    async () => {
      const { storage } = await withSeeds([])()
      return { storage: { ...storage, list: () => Promise.reject(new Error('No storage')) } }
    },
  ],
  play: async ({ canvas }) => {
    await waitFor(() =>
      expect(canvas.getByRole('alert')).toHaveTextContent('The saved sessions could not be read. Try again.'),
    )
  },
}

let thousand: Promise<SessionStorage> | undefined

async function thousandSessions(): Promise<Loaded> {
  thousand ??= (async () => {
    const storage = indexedDbStorage({ databaseName: 'story-thousand', retention: {} })
    if ((await storage.list()).length !== 1000) await saveSeeds(storage, manySeeds(1000))
    return storage
  })()
  return { storage: await thousand }
}

/** A thousand sessions in IndexedDB. Only their records are read, and only the rows near the view are rendered. */
export const Thousand: Story = {
  loaders: [thousandSessions],
  play: async ({ canvas }) => {
    await canvas.findByText('1000', undefined, patient)
    const first = canvas.getAllByRole('listitem')
    await expect(first.length).toBeLessThan(200)
    first.at(-1)?.scrollIntoView()
    await waitFor(() => expect(canvas.getAllByRole('listitem').length).toBeGreaterThan(first.length), patient)
    await userEvent.type(canvas.getByRole('searchbox', { name: 'Search sessions' }), ', 996')
    await waitFor(() => expect(titles(canvas)).toHaveLength(1), patient)
  },
}
