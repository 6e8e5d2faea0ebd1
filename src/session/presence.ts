import { browserTabs, driverLock, type TabPlatform } from './tabs.ts'

/** What the tabs of a storage are at. */
export interface Presence {
  /** Ids of the sessions that a tab runs: this one too. */
  readonly driven: ReadonlySet<string>
  /** Ids of the sessions that a tab has open: this one too. */
  readonly open: ReadonlySet<string>
}

const nobody: Presence = { driven: new Set(), open: new Set() }

/** Says to all tabs that a session is open in this one, until the returned function is called or the tab is gone. */
export function markOpen(
  id: string,
  scope: string | undefined,
  platform: TabPlatform = browserTabs,
): () => void {
  if (scope === undefined) return () => {}
  const gone = new AbortController()
  const closed = new Promise<void>((resolve) => {
    gone.signal.addEventListener('abort', () => resolve())
  })
  const options: LockOptions = { mode: 'shared', signal: gone.signal }
  platform.locks
    ?.request(openLock(scope, id), options, () => closed)
    .catch(() => {
      // Taken back before it was granted, or refused to the page: then no tab knows.
    })
  return () => gone.abort()
}

/** Looks at all tabs. Where that is not possible they are taken to be idle. */
export async function readPresence(
  scope: string | undefined,
  platform: TabPlatform = browserTabs,
): Promise<Presence> {
  if (scope === undefined || !platform.locks) return nobody
  try {
    const { held = [] } = await platform.locks.query()
    const idsUnder = (prefix: string, mode: LockMode) =>
      new Set(
        held.flatMap((lock) =>
          lock.mode === mode && lock.name?.startsWith(prefix) ? lock.name.slice(prefix.length) : [],
        ),
      )
    return {
      driven: idsUnder(driverLock(scope, ''), 'exclusive'),
      open: idsUnder(openLock(scope, ''), 'shared'),
    }
  } catch {
    return nobody
  }
}

function openLock(scope: string, id: string): string {
  return `use-todo-agent-open:${scope}:${id}`
}
