import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { call } from './calls.ts'
import { offeredTools, requestText, type ScriptedStep, scriptedModel } from './scriptedModel.ts'

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }]
const anyObject = jsonSchema<Record<string, unknown>>({ type: 'object', additionalProperties: true })

async function parts(step: ScriptedStep, signal?: AbortSignal) {
  const model = scriptedModel([step])
  const { stream } = await model.doStream({ prompt, ...(signal && { abortSignal: signal }) })
  const found = []
  for await (const part of stream) found.push(part)
  return found
}

async function types(step: ScriptedStep) {
  return (await parts(step)).map((part) => part.type)
}

describe('scriptedModel', () => {
  test('plays a text, a call and the answer through the AI SDK', async () => {
    const model = scriptedModel([[call('look', { at: 'rows' })], 'There are 200 rows.'])
    const look = tool({ inputSchema: anyObject, execute: () => '200' })
    const result = streamText({ model, prompt: 'How many?', tools: { look }, stopWhen: stepCountIs(5) })
    expect(await result.text).toBe('There are 200 rows.')
    expect(model.calls).toBe(2)
    expect(offeredTools(model.requests[0])).toEqual(['look'])
    expect(requestText(model.requests[1])).toContain('look({"at":"rows"})')
    expect(model.problems).toEqual([])
  })

  test('cuts text into deltas of the given size without splitting a character', async () => {
    const deltas = (await parts({ text: 'ab😀cd', chunkSize: 3 })).flatMap((part) =>
      'delta' in part ? [part.delta] : [],
    )
    expect(deltas).toEqual(['ab😀', 'cd'])
  })

  test('a cut-off stream closes without a finish part', async () => {
    expect(await types({ text: 'abcdef', chunkSize: 2, cutOff: 2 })).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-delta',
    ])
    expect(await types({ text: 'ab', cutOff: Number.POSITIVE_INFINITY })).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
    ])
  })

  test('a cut-off stream with a given finish still says how it ended', async () => {
    const found = await parts({ toolCalls: [call.write('A')], chunkSize: 4, cutOff: 3, finish: 'length' })
    expect(found.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'length' } })
    expect(found.some((part) => part.type === 'tool-call')).toBe(false)
  })

  test('broken arguments are sent as they are', async () => {
    const found = await parts({ toolCalls: [call('write_todos', '{"todos":[{"con', { id: '' })] })
    expect(found).toContainEqual({
      type: 'tool-call',
      toolCallId: '',
      toolName: 'write_todos',
      input: '{"todos":[{"con',
    })
  })

  test('a failure without a place refuses the request', async () => {
    await expect(parts({ error: new TypeError('Load failed') })).rejects.toThrow('Load failed')
  })

  test('a failure in the middle rejects the reader after the deltas before it', async () => {
    const model = scriptedModel([
      { text: 'abcdef', chunkSize: 2, error: new TypeError('Load failed'), errorAfter: 1 },
    ])
    const { stream } = await model.doStream({ prompt })
    const found: string[] = []
    await expect(async () => {
      for await (const part of stream) found.push(part.type)
    }).rejects.toThrow('Load failed')
    expect(found).toEqual(['stream-start', 'text-start', 'text-delta'])
  })

  test('a failure can be a part of the stream', async () => {
    expect(await types({ text: 'ab', error: 'no', errorAs: 'part', errorAfter: 0 })).toEqual([
      'stream-start',
      'text-start',
      'error',
      'finish',
    ])
  })

  test('an abort ends a delay at once with the reason of the signal', async () => {
    const controller = new AbortController()
    const run = parts({ text: 'abcdef', chunkSize: 1, delay: 600_000 }, controller.signal)
    controller.abort(new Error('stopped'))
    await expect(run).rejects.toThrow('stopped')
  })

  test('an aborted request plays nothing and is remembered', async () => {
    const model = scriptedModel(['Hello'])
    await expect(
      model.doStream({ prompt, abortSignal: AbortSignal.abort(new Error('stopped')) }),
    ).rejects.toThrow('stopped')
    expect(model.calls).toBe(1)
  })

  test('a step can go on after an abort', async () => {
    const controller = new AbortController()
    const run = parts({ text: 'abcdef', chunkSize: 1, delay: 1, ignoreAbort: true }, controller.signal)
    controller.abort()
    expect((await run).at(-1)?.type).toBe('finish')
  })

  test('a step waits for what it is held by', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const seen: string[] = []
    const model = scriptedModel([{ text: 'abcd', chunkSize: 2, until: gate, untilAfter: 1 }])
    const { stream } = await model.doStream({ prompt })
    const reading = (async () => {
      for await (const part of stream) seen.push(part.type)
    })()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(seen).toEqual(['stream-start', 'text-start', 'text-delta'])
    open()
    await reading
    expect(seen.at(-1)).toBe('finish')
  })

  test('a function of the request gives the step', async () => {
    const model = scriptedModel([(request, index) => `${index}: ${requestText(request)}`])
    expect((await generateText({ model, prompt: 'Go.' })).text).toBe('0: Go.')
  })

  test('a request after the last step fails and says so', async () => {
    const model = scriptedModel(['Hello'])
    await model.doStream({ prompt })
    await expect(model.doStream({ prompt })).rejects.toThrow(
      'The script is over: request 2 of a script of 1 step.',
    )
    expect(model.problems).toHaveLength(1)
  })

  test('the last step can repeat', async () => {
    const model = scriptedModel(['Hello'], { atEnd: 'repeat' })
    await model.doStream({ prompt })
    await model.doStream({ prompt })
    expect(model.calls).toBe(2)
  })

  test('requests are kept as they were when they came', async () => {
    const model = scriptedModel(['Hello'])
    const own = structuredClone(prompt)
    await model.doStream({ prompt: own })
    own[0]?.content.push({ type: 'text', text: 'later' })
    expect(requestText(model.requests[0])).toBe('Go.')
  })

  test('a wrong request is refused with its faults', async () => {
    const model = scriptedModel(['Hello'])
    const blank = [{ role: 'user' as const, content: [{ type: 'text' as const, text: ' ' }] }]
    await expect(model.doStream({ prompt: blank })).rejects.toThrow('message 1 (user): is blank')
  })

  test('reasoning that does not come back is a fault', async () => {
    const model = scriptedModel([
      {
        reasoning: { text: 'Hm.', providerMetadata: { test: { signature: 's' } } },
        toolCalls: [call('look')],
      },
      'Done.',
    ])
    const first = await model.doStream({ prompt })
    for await (const _ of first.stream) {
      // read to the end
    }
    await expect(
      model.doStream({
        prompt: [
          ...prompt,
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'look', input: {} }],
          },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'call-1',
                toolName: 'look',
                output: { type: 'text', value: 'x' },
              },
            ],
          },
        ],
      }),
    ).rejects.toThrow('the reasoning of the last response is missing or changed')
  })

  test('reasoning comes back through the AI SDK with its metadata', async () => {
    const model = scriptedModel([
      {
        reasoning: { text: 'Hm.', providerMetadata: { test: { signature: 's' } } },
        toolCalls: [call('look')],
      },
      'Done.',
    ])
    const look = tool({ inputSchema: anyObject, execute: () => 'seen' })
    const result = streamText({ model, prompt: 'Go.', tools: { look }, stopWhen: stepCountIs(5) })
    expect(await result.text).toBe('Done.')
  })

  test('a script without steps and a step with a wrong number are type errors', async () => {
    expect(() => scriptedModel([])).toThrow(
      new TypeError('`script` must be a list of steps that is not empty, got an array.'),
    )
    expect(() => scriptedModel('Hello.' as never)).toThrow(/`script`.*"Hello\."/)
    await expect(parts({ text: 'a', cutOff: -1 })).rejects.toThrow(
      '`cutOff` of a step must be a number from 0, got -1.',
    )
    await expect(parts({ text: 'a', chunkSize: 0 })).rejects.toThrow('`chunkSize`')
  })
})

describe('call', () => {
  test('write reads the marks of its lines', () => {
    expect(
      call.write('[x] A', '[>] B', '[ ] C', 'D', '[?] E', '[!] F', { content: '[x] G', status: 'pending' })
        .input,
    ).toEqual({
      todos: [
        { content: 'A', status: 'completed' },
        { content: 'B', status: 'in_progress' },
        { content: 'C', status: 'pending' },
        { content: 'D', status: 'pending' },
        { content: '[?] E', status: 'pending' },
        { content: 'F', status: 'blocked' },
        { content: '[x] G', status: 'pending' },
      ],
    })
  })

  test('the id-based tools get their wire shapes', () => {
    expect(call.add('A', { title: 'B', description: 'b' }).input).toEqual({
      todos: [{ title: 'A' }, { title: 'B', description: 'b' }],
    })
    expect(call.complete([1, 'seen'])).toEqual({
      name: 'todos_complete',
      input: { items: [{ id: 1, reason: 'seen' }] },
    })
    expect(call.remove(1, 2).input).toEqual({ ids: [1, 2] })
    expect(call.setMode('execute')).toEqual({ name: 'mode_set', input: { mode: 'execute' } })
  })
})
