import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { root } from './source.mjs'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The section under a heading, with what is under smaller headings in it. */
function section(heading: string): string {
  const start = readme.indexOf(`\n${heading}\n`)
  expect(start, heading).toBeGreaterThan(0)
  const rest = readme.slice(start + heading.length + 2)
  const end = rest.search(new RegExp(`^#{1,${heading.indexOf(' ')}} `, 'm'))
  return end < 0 ? rest : rest.slice(0, end)
}

/** All that stands in code in the first column of the tables, below their heads. */
function firstColumn(text: string): string[] {
  const cells = [...text.replaceAll(/^.*\n\|---/gm, '').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)],
  )
  return cells.map(([, name = '']) => name)
}

function typeIn(file: string, name: string) {
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'TSInterfaceDeclaration' && declared.id.name === name) {
      return declared.body.body.flatMap((member) =>
        member.type === 'TSPropertySignature' && member.key.type === 'Identifier' ? [member.key.name] : [],
      )
    }
    if (declared?.type === 'TSTypeAliasDeclaration' && declared.id.name === name) {
      const { typeAnnotation } = declared
      return (typeAnnotation.type === 'TSUnionType' ? typeAnnotation.types : []).flatMap((member) =>
        member.type === 'TSLiteralType' && member.literal.type === 'Literal'
          ? [String(member.literal.value)]
          : [],
      )
    }
  }
  throw new Error(`${file} has no type ${name}.`)
}

const agentOptions = typeIn('src/agent/options.ts', 'TodoAgentOptions')
const sessionOptions = typeIn('src/session/createTodoSession.ts', 'TodoSessionOptions').filter(
  (name) => name !== 'id',
)

describe('README', () => {
  test('has a row for each option of the hook', () => {
    const options = ['sessionId', 'keepAlive', ...agentOptions, ...sessionOptions]
    const listOptions = typeIn('src/core/context.ts', 'ContextOptions').filter(
      (name) => name !== 'toolset' && name !== 'texts',
    )
    const [table = ''] = section('## The hook').split('\n### ')
    expect(firstColumn(table).sort()).toEqual([...options, ...listOptions].sort())
  })

  test('names all that the hook returns', () => {
    const [, returned = ''] = /It returns ([\s\S]*?)\.\n/.exec(section('## The hook')) ?? []
    const members = [
      ...typeIn('src/react/useTodos.ts', 'TodosView'),
      ...typeIn('src/react/useTodoAgent.ts', 'TodoAgent'),
    ]
    expect([...returned.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(members.sort())
  })

  test('has a row for each outcome of a run', () => {
    expect(firstColumn(section('### How a run ends')).sort()).toEqual(
      typeIn('src/core/todo.ts', 'RunOutcome').sort(),
    )
  })

  test('has a row for each code of an error', () => {
    expect(firstColumn(section('### What can go wrong')).sort()).toEqual(
      typeIn('src/core/errors.ts', 'TodoAgentErrorCode').sort(),
    )
  })
})
