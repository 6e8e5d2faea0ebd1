/** Notices that a model has gone silent. */
export interface Silence {
  /** The model has been asked, so that it is its turn to speak; `false`: it has had its say, or nothing was asked. */
  expect(talking: boolean): void
  /** Something is waited for. */
  listen(): void
  /** It came. */
  heard(): void
  end(): void
}

/** Calls `onSilent` once, when something of the model was waited for `limit` ms. Time in which nobody waits does not count. */
export function watchSilence(limit: number, onSilent: () => void): Silence {
  let since = 0
  let isTalking = false
  let timer = setTimeout(look, limit)

  function look(): void {
    const left = isTalking && since > 0 ? since + limit - Date.now() : limit
    if (left <= 0) onSilent()
    else timer = setTimeout(look, left)
  }

  return {
    expect(talking) {
      isTalking = talking
      if (since > 0) since = Date.now()
    },
    listen() {
      since = Date.now()
    },
    heard() {
      since = 0
    },
    end: () => clearTimeout(timer),
  }
}
