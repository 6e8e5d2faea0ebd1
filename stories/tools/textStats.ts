import { tool } from 'ai'
import { z } from 'zod'
import { pastedIn } from './pasted.ts'

/** What the tool tells about a text. */
export interface TextStats {
  readonly characters: number
  readonly words: number
  readonly sentences: number
  readonly paragraphs: number
  /** Average. */
  readonly wordsPerSentence: number
  /** At 230 words per minute. */
  readonly readingMinutes: number
}

/** Counts of a text that the person pasted, or of one in the arguments. */
export const textStats = tool({
  description:
    'Counts the words, characters, sentences and paragraphs of a text, with the average length of its sentences and the reading time in minutes.',
  inputSchema: z.object({
    text: z
      .string()
      .optional()
      .describe('The text. Leave it out to read the text that the user pasted in the conversation.'),
  }),
  execute: ({ text }, { messages }) => {
    const given = text ?? pastedIn(messages, 'text')
    if (given === null || given.trim() === '') {
      throw new Error('There is no text: the user has pasted none, and the argument `text` is missing.')
    }
    return countText(given)
  },
})

/** Counts a text. Words and sentences are those of Unicode, so languages without spaces are counted too. */
export function countText(text: string): TextStats {
  const words = segments(text, 'word').filter((segment) => segment.isWordLike).length
  const sentences = segments(text, 'sentence').filter((segment) => segment.segment.trim() !== '').length
  return {
    characters: segments(text, 'grapheme').length,
    words,
    sentences,
    paragraphs: text.split(/\n\s*\n/u).filter((paragraph) => paragraph.trim() !== '').length,
    wordsPerSentence: Number((words / Math.max(sentences, 1)).toFixed(1)),
    readingMinutes: Number((words / 230).toFixed(1)),
  }
}

function segments(text: string, granularity: 'grapheme' | 'word' | 'sentence'): Intl.SegmentData[] {
  return [...new Intl.Segmenter('en', { granularity }).segment(text)]
}
