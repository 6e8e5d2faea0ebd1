import type { LanguageModel } from 'ai'
import { useEffect, useMemo, useState } from 'react'
import { loadModel, type ModelChoice, missingIn, modelAtHand, noModel } from './modelChoice.ts'

/** The chosen model, or why there is none yet. `model` can always be given to an agent: a missing one answers with the reason. */
export interface ModelState {
  readonly model: LanguageModel
  /** `null` when the model can be used. */
  readonly reason: string | null
}

interface Loaded {
  readonly choice: ModelChoice
  readonly model: LanguageModel | null
  readonly reason: string | null
}

/** Loads the chosen model. */
export function useModel(choice: ModelChoice): ModelState {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const missing = missingIn(choice)

  useEffect(
    function load() {
      if (missing !== null || choice.kind === 'offline') return
      let isCurrent = true
      loadModel(choice).then(
        (model) => isCurrent && setLoaded({ choice, model, reason: null }),
        (error: unknown) =>
          isCurrent &&
          setLoaded({ choice, model: null, reason: `The provider could not be loaded: ${String(error)}` }),
      )
      return () => {
        isCurrent = false
      }
    },
    [choice, missing],
  )

  return useMemo(() => {
    const atHand = modelAtHand(choice)
    if (atHand) return { model: atHand, reason: null }
    const known = loaded?.choice === choice ? loaded : null
    if (missing === null && known?.model) return { model: known.model, reason: null }
    const reason = missing ?? known?.reason ?? 'The model is being loaded.'
    return { model: noModel(reason), reason }
  }, [choice, loaded, missing])
}
