import { describe, expect, test } from 'vitest'
import { repairArguments, toId } from './repairArguments.ts'

const item = { content: 'Write report', status: 'pending' }

describe('write_todos', () => {
  test.each([
    ['the list as JSON text', { todos: JSON.stringify([item]) }],
    ['all arguments as JSON text', JSON.stringify({ todos: [item] })],
    ['the bare list', [item]],
    ['one item in place of the list', { todos: item }],
    ['one bare item', item],
    ['other letter case and spaces in the status', { todos: [{ ...item, status: ' Pending ' }] }],
    ['null for an absent optional', { todos: [{ ...item, description: null, reason: null }] }],
    ['a checkbox in front of the text', { todos: [{ ...item, content: '[ ] Write report' }] }],
  ])('reads %s', (_, input) => {
    expect(repairArguments('write_todos', input)).toEqual({ todos: [item] })
  })

  test('reads "In-Progress" and "in progress" as in_progress', () => {
    expect(
      repairArguments('write_todos', [
        { ...item, status: 'In-Progress' },
        { ...item, status: 'in progress' },
      ]),
    ).toEqual({
      todos: [
        { ...item, status: 'in_progress' },
        { ...item, status: 'in_progress' },
      ],
    })
  })

  test.each([
    ['a Python literal', { todos: "[{'content': 'Write report', 'status': 'pending'}]" }],
    ['a markdown checklist', { todos: '- [x] Draft\n- [ ] Review' }],
    ['no list', {}],
    ['null', { todos: null }],
    ['a null item', { todos: [null] }],
    ['a null text', { todos: [{ content: null }] }],
    ['an item that is a list', { todos: [[]] }],
    ['a word that only means a status', { todos: [{ content: 'A', status: 'done' }] }],
    ['an object that is no item', { todos: { list: [] } }],
    ['a number', { todos: 7 }],
  ])('leaves %s to the error', (_, input) => {
    expect(repairArguments('write_todos', input)).toEqual(input)
  })

  test('leaves a text in place of the list to the error', () => {
    expect(repairArguments('write_todos', 'Write report')).toEqual({ todos: 'Write report' })
  })

  test.each([[null], [undefined], ['']])('makes an object of %s', (input) => {
    expect(repairArguments('write_todos', input)).toEqual({})
  })
})

describe('the tools by id', () => {
  test.each([
    [2, 2],
    ['2', 2],
    [' 2 ', 2],
    ['#2', 2],
    ['02', '02'],
    ['2.5', '2.5'],
    ['two', 'two'],
    [-1, -1],
  ])('%j names the item %j', (spelling, id) => {
    expect(toId(spelling)).toBe(id)
    expect(repairArguments('todos_remove', { ids: [spelling] })).toEqual({ ids: [id] })
    expect(repairArguments('todos_complete', { items: [{ id: spelling, reason: 'r' }] })).toEqual({
      items: [{ id, reason: 'r' }],
    })
  })

  test('one item stands for a list of one', () => {
    expect(repairArguments('todos_complete', { id: '2', reason: 'done' })).toEqual({
      items: [{ id: 2, reason: 'done' }],
    })
    expect(repairArguments('todos_remove', { id: 3 })).toEqual({ ids: [3] })
    expect(repairArguments('todos_remove', { ids: '3' })).toEqual({ ids: [3] })
    expect(repairArguments('todos_add', { title: 'A' })).toEqual({ todos: [{ title: 'A' }] })
  })

  test('plain values stand for items', () => {
    expect(repairArguments('todos_complete', { items: [1, '#2'] })).toEqual({ items: [{ id: 1 }, { id: 2 }] })
    expect(repairArguments('todos_complete', { ids: [1] })).toEqual({ items: [{ id: 1 }] })
    expect(repairArguments('todos_add', { todos: ['A', { title: 'B', description: null }] })).toEqual({
      todos: [{ title: 'A' }, { title: 'B' }],
    })
  })

  test.each([
    ['todos_add', { todos: [null, 7] }],
    ['todos_remove', { ids: 'two' }],
    ['todos_complete', { items: [{ id: 1 }], ids: [2] }],
  ])('what is wrong for %s is left to the error: %j', (name, input) => {
    expect(repairArguments(name, input)).toEqual(input)
  })

  test('the arguments of other tools pass', () => {
    expect(repairArguments('mode_set', '{"mode":"execute"}')).toEqual({ mode: 'execute' })
  })

  test.each([[null], [''], [undefined], ['x'], [7]])('a reading tool takes %j for no arguments', (input) => {
    expect(repairArguments('todos_get_all', input)).toEqual({})
  })
})
