import type { UIMessage, UIMessageChunk } from 'ai'

type Part = UIMessage['parts'][number]
// The parts are built up field by field; their exact types hold again once a chunk has been applied.
type LoosePart = { type: string; [field: string]: unknown }

/** Puts the chunks of a run together into the message that is saved. What it makes equals what the AI SDK's own chat shows. */
export interface MessageBuilder {
  readonly id: string
  /** How many parts it has. */
  readonly length: number
  apply(chunk: UIMessageChunk): void
  /** The parts from an index on, as a message of their own. */
  turnFrom(index: number): UIMessage
  /** The message as it is now. Later chunks never change what was handed out. */
  snapshot(): UIMessage
}

/**
 * The AI SDK puts messages together only while it copies them whole at each chunk, which a long run cannot afford; this one shares all
 * parts that are settled.
 */
export function createMessageBuilder(start: Pick<UIMessage, 'id' | 'parts' | 'metadata'>): MessageBuilder {
  let metadata = start.metadata
  const parts: LoosePart[] = start.parts.map((part) => ({ ...part }))
  const open = new Map<string, LoosePart>()
  // Parts before this index are settled unless a tool part among them gets its output later.
  let copies: (Part | undefined)[] = []

  function add(part: LoosePart): LoosePart {
    parts.push(part)
    return part
  }

  function touch(part: LoosePart): void {
    const index = parts.lastIndexOf(part)
    if (index !== -1) copies[index] = undefined
  }

  function tool(toolCallId: string): LoosePart | undefined {
    for (let index = parts.length - 1; index >= 0; index -= 1) {
      const part = parts[index]
      if (part?.['toolCallId'] === toolCallId) return part
    }
    return undefined
  }

  function setTool(chunk: LoosePart, fields: Record<string, unknown>): void {
    const id = String(chunk['toolCallId'])
    const known = tool(id)
    const part =
      known ??
      add(
        chunk['dynamic']
          ? { type: 'dynamic-tool', toolName: chunk['toolName'], toolCallId: id }
          : { type: `tool-${String(chunk['toolName'])}`, toolCallId: id },
      )
    assign(part, fields)
    assign(part, {
      title: chunk['title'],
      providerExecuted: chunk['providerExecuted'],
      toolMetadata: chunk['toolMetadata'],
    })
    touch(part)
  }

  function apply(chunk: UIMessageChunk): void {
    const loose = chunk as LoosePart
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = chunk.type === 'text-start' ? 'text' : 'reasoning'
        const part = add({ type, text: '', state: 'streaming' })
        if (type === 'reasoning') part['id'] = chunk.id
        assign(part, { providerMetadata: chunk.providerMetadata })
        open.set(type + chunk.id, part)
        return
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const part = open.get((chunk.type === 'text-delta' ? 'text' : 'reasoning') + chunk.id)
        if (!part) return
        part['text'] = String(part['text']) + chunk.delta
        if (chunk.providerMetadata !== undefined) part['providerMetadata'] = chunk.providerMetadata
        touch(part)
        return
      }
      case 'text-end':
      case 'reasoning-end': {
        const key = (chunk.type === 'text-end' ? 'text' : 'reasoning') + chunk.id
        const part = open.get(key)
        if (!part) return
        assign(part, {
          state: 'done',
          providerMetadata: chunk.providerMetadata,
          citations: loose['citations'],
        })
        open.delete(key)
        touch(part)
        return
      }
      case 'tool-input-start':
        setTool(loose, { state: 'input-streaming', callProviderMetadata: chunk.providerMetadata })
        return
      case 'tool-input-available':
        setTool(loose, {
          state: 'input-available',
          input: chunk.input,
          callProviderMetadata: chunk.providerMetadata,
        })
        return
      case 'tool-input-error':
        setTool(loose, {
          state: 'output-error',
          input: chunk.input,
          errorText: chunk.errorText,
          resultProviderMetadata: chunk.providerMetadata,
        })
        return
      case 'tool-output-available':
        setTool(loose, {
          state: 'output-available',
          output: chunk.output,
          preliminary: chunk.preliminary,
          resultProviderMetadata: chunk.providerMetadata,
        })
        if (!chunk.preliminary) delete tool(chunk.toolCallId)?.['preliminary']
        return
      case 'tool-output-error':
        setTool(loose, {
          state: 'output-error',
          errorText: chunk.errorText,
          resultProviderMetadata: chunk.providerMetadata,
        })
        return
      case 'tool-output-denied':
        setTool(loose, { state: 'output-denied' })
        return
      case 'tool-approval-request':
        setTool(loose, {
          state: 'approval-requested',
          approval: defined({
            id: chunk.approvalId,
            descriptor: chunk.approvalDescriptor,
            inputSchemaInput: chunk.inputSchemaInput,
            requestReason: chunk.reason,
            isAutomatic: chunk.isAutomatic === true ? true : undefined,
            signature: chunk.signature,
          }),
        })
        return
      case 'tool-approval-response': {
        const part = parts.find(
          (candidate) => (candidate['approval'] as { id?: string } | undefined)?.id === chunk.approvalId,
        )
        if (!part) return
        assign(part, {
          state: 'approval-responded',
          approval: defined({
            ...(part['approval'] as object),
            approved: chunk.approved,
            reason: chunk.reason,
          }),
        })
        touch(part)
        return
      }
      case 'start':
      case 'finish':
      case 'message-metadata':
        if (chunk.messageMetadata !== undefined)
          metadata = { ...(metadata as object), ...(chunk.messageMetadata as object) }
        return
      case 'start-step':
        add({ type: 'step-start' })
        return
      case 'finish-step':
        // Some providers never say that a part is complete.
        for (const part of open.values()) {
          part['state'] = 'done'
          touch(part)
        }
        open.clear()
        return
      case 'tool-input-delta':
      case 'error':
      case 'abort':
        return
      default:
        if (loose['transient'] === true) return
        if (chunk.type.startsWith('data-')) {
          const known =
            loose['id'] === undefined
              ? undefined
              : parts.find((p) => p.type === chunk.type && p['id'] === loose['id'])
          if (known) {
            known['data'] = loose['data']
            touch(known)
            return
          }
        }
        add({ ...loose })
    }
  }

  function snapshot(): UIMessage {
    copies = parts.map((part, index) => copies[index] ?? ({ ...part } as Part))
    return {
      id: start.id,
      role: 'assistant',
      ...(metadata === undefined ? {} : { metadata }),
      parts: [...copies] as Part[],
    }
  }

  return {
    id: start.id,
    get length() {
      return parts.length
    },
    apply,
    snapshot,
    turnFrom: (index) => ({ id: start.id, role: 'assistant', parts: snapshot().parts.slice(index) }),
  }
}

function assign(part: LoosePart, fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) part[name] = value
}

function defined<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
