// Reads what entry points export out of their declarations, and writes it down as Markdown.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

/**
 * @typedef {ReturnType<typeof parseSync>} Parsed
 * @typedef {Parsed['program']['body'][number]} Statement
 * @typedef {Parsed['comments'][number]} Comment
 * @typedef {{ text: string, body: Statement[], comments: Comment[] }} Module
 * @typedef {{ name: string, entry: string, file: string, value: boolean, doc: string | null, code: string }} Export
 */

// READ

/** @type {Map<string, Module>} */
const modules = new Map()

/**
 * What an entry point exports. `doc` is `null` where there is no doc comment.
 *
 * @param {string} folder of the declarations
 * @param {string} entry
 * @returns {Export[]}
 */
export function exportsOf(folder, entry) {
  const file = join(folder, `${entry}.d.ts`)
  return read(file).body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || !statement.source) {
      throw new Error(`${entry} should only re-export by name, and has a ${statement.type}.`)
    }
    const from = join(dirname(file), statement.source.value.replace(/\.tsx?$/, '.d.ts'))
    return statement.specifiers.map((specifier) => ({
      name: nameOf(specifier.exported),
      entry,
      ...declared(from, nameOf(specifier.local), nameOf(specifier.exported)),
    }))
  })
}

/**
 * The declaration of a name in a module, all overloads of it, with the comment of the first that has one, as the entry point calls it.
 *
 * @param {string} file
 * @param {string} name
 * @param {string} publicName
 */
function declared(file, name, publicName) {
  const { text, body, comments } = read(file)
  const parts = body.filter((statement) => declaredNames(statement).includes(name))
  if (parts.length === 0) throw new Error(`${file} does not declare \`${name}\`.`)
  const docs = parts.map((part) => comments.findLast((comment) => isDocOf(comment, part, text)))
  return {
    file,
    value: parts.some((part) => !/^(?:export )?(?:interface|type)\b/.test(text.slice(part.start))),
    doc: docs.find((comment) => comment !== undefined)?.value ?? null,
    code: parts
      .map((part) => signature(text.slice(part.start, part.end)))
      .join('\n')
      .replaceAll(new RegExp(`\\b${name}\\b`, 'g'), publicName),
  }
}

/**
 * @param {Comment} comment
 * @param {{ start: number }} part
 * @param {string} text
 */
function isDocOf({ type, value, end }, { start }, text) {
  return type === 'Block' && value.startsWith('*') && end <= start && text.slice(end, start).trim() === ''
}

/**
 * @param {Statement} statement
 * @returns {string[]}
 */
function declaredNames(statement) {
  const declaration =
    statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? statement) : statement
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.map(({ id }) => ('name' in id ? id.name : ''))
  }
  return 'id' in declaration && declaration.id && 'name' in declaration.id ? [declaration.id.name] : []
}

/** @param {{ name: string } | { value: string }} name */
function nameOf(name) {
  return 'name' in name ? name.name : name.value
}

/**
 * @param {string} file
 * @returns {Module}
 */
function read(file) {
  const known = modules.get(file)
  if (known) return known
  const text = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`)
  const module = { text, body: program.body, comments }
  modules.set(file, module)
  return module
}

// WRITE

/**
 * The reference as one page. What several entry points export is described at the first.
 *
 * @param {readonly Export[]} all
 */
export function toPage(all) {
  /** @type {Map<string, Export>} */
  const written = new Map()
  const parts = [...new Set(all.map(({ entry }) => entry))].map((entry) => {
    const own = all.filter((item) => item.entry === entry).sort(byKindAndName)
    const fresh = own.filter((item) => !written.has(idOf(item)))
    const again = own.filter((item) => written.has(idOf(item)))
    for (const item of fresh) written.set(idOf(item), item)
    return [`## \`${specifier(entry)}\``, alsoThere(again, written), ...fresh.map(toSection)]
      .filter((part) => part !== '')
      .join('\n\n')
  })
  const head =
    '# API\n\nEverything that the package exports, by entry point, made of the doc comments of the source by `npm run api`. Change it there.'
  return `${[head, ...parts].join('\n\n')}\n`
}

/** @param {Export} item */
function idOf({ file, code }) {
  return `${file} ${code}`
}

/**
 * @param {Export[]} items
 * @param {Map<string, Export>} written
 */
function alsoThere(items, written) {
  const homes = new Set(items.map((item) => homeOf(item, written)))
  return [...homes]
    .map((entry) => {
      const names = items.filter((item) => homeOf(item, written) === entry).map(({ name }) => `\`${name}\``)
      return `As in \`${specifier(entry)}\`: ${names.join(', ')}.`
    })
    .join('\n')
}

/**
 * The entry point under which an export is described.
 *
 * @param {Export} item
 * @param {Map<string, Export>} written
 */
function homeOf(item, written) {
  return /** @type {Export} */ (written.get(idOf(item))).entry
}

/** @param {string} entry */
function specifier(entry) {
  return `use-todo-agent/${entry}`.replace(/\/index$/, '')
}

/**
 * What runs before what is only a type.
 *
 * @param {Export} one
 * @param {Export} other
 */
function byKindAndName(one, other) {
  return Number(other.value) - Number(one.value) || (one.name < other.name ? -1 : 1)
}

/** @param {Export} item */
function toSection({ name, doc, code }) {
  const { words, examples } = toMarkdown(doc ?? '')
  return [`### ${name}`, ...words, fence(code), ...examples].filter((part) => part !== '').join('\n\n')
}

/**
 * A doc comment as Markdown: its text, what its tags say, and its examples.
 *
 * @param {string} comment
 */
function toMarkdown(comment) {
  const text = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .trim()
  const [prose = '', ...tags] = text.split(/^(?=@\w)/m).map((part) => part.trim())
  const isExample = (/** @type {string} */ tag) => tag.startsWith('@example')
  return {
    words: [prose, ...tags.filter((tag) => !isExample(tag)).map(tagInWords)],
    examples: tags.filter(isExample).map((tag) => {
      const code = tag.replace('@example', '').trim()
      return code.startsWith('```') ? code : fence(code)
    }),
  }
}

/** @param {string} text */
function tagInWords(text) {
  const [, tag, rest = ''] = /^@(\w+)\s*([\s\S]*)$/.exec(text) ?? []
  switch (tag) {
    case 'throws':
      return `Throws ${rest}.`.replace(/\.\.$/, '.')
    case 'default':
      return `Default: ${rest}`
    case 'param':
      return rest.replace(/^(\S+)/, '`$1`:')
    default:
      throw new Error(`There are no words for the tag in "${text}".`)
  }
}

/** @param {string} code */
function fence(code) {
  return `\`\`\`tsx\n${code}\n\`\`\``
}

/**
 * A declaration as one reads it: no `export declare`, two spaces a level, nothing private, no paths of its types.
 *
 * @param {string} code
 */
function signature(code) {
  return code
    .replace(/^export (?:declare )?/, '')
    .replaceAll(/import\("[^"]+"\)\./g, '')
    .split('\n')
    .filter((line) => !/^\s*(?:#?private|private \w+);$/.test(line))
    .map((line) => line.replace(/^ +/, (indent) => indent.replaceAll('    ', '  ')))
    .join('\n')
}
