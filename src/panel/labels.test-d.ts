import { enLabels, type TodoPanelLabels } from './labels.ts'

const { resume, ...withoutResume } = enLabels
const { paused, ...withoutPaused } = enLabels.status

export const changed: TodoPanelLabels = { ...enLabels, title: 'Tasks' }

// @ts-expect-error a translation that misses a word
export const missing: TodoPanelLabels = withoutResume

// @ts-expect-error one that misses the word of a status
export const missingStatus: TodoPanelLabels = { ...enLabels, status: withoutPaused }
