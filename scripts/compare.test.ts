import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './source.mjs'

const docs = join(root, 'docs')

/** The rows of the tables, each as its cells, without their heads. */
function tables(text: string): string[][][] {
  return text
    .split(/^\|.*\n\|---.*\n/m)
    .map((part) =>
      [...part.split('\n\n')[0]!.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
        row.split('|').map((cell) => cell.trim()),
      ),
    )
}

const [, points = [], sources = []] = tables(readFileSync(join(docs, 'compare.md'), 'utf8'))

describe('the comparison with other panels', () => {
  test('says of each point what each panel does', () => {
    expect(points.length).toBeGreaterThan(30)
    expect(points.filter((cells) => cells.length !== 6)).toEqual([])
  })

  test('names tests that are there', () => {
    const files = points.flatMap(([, own = '']) =>
      [...own.matchAll(/\]\((.*?)\)/g)].map(([, file = '']) => file),
    )
    expect(files.length).toBeGreaterThan(30)
    expect(files.filter((file) => !existsSync(join(docs, file)))).toEqual([])
  })

  test('names the commit of each source', () => {
    const repositories = new Set(sources.map(([repository = '']) => repository.split(/[/,]/)[0]))
    expect([...repositories]).toEqual(expect.arrayContaining(['vercel', 'assistant-ui', 'microsoft']))
    expect(
      sources.filter(
        ([, , commit = '', day = '']) => !/^[0-9a-f]{40} 20\d\d-\d\d-\d\d$/.test(`${commit} ${day}`),
      ),
    ).toEqual([])
  })
})
