/**
 * Assembles a message from its events, and splits a message into events, for checks and mutators that need the whole
 * message.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type Json, type JsonObject, ownMember, parseJson } from '@gateway/contract'
import { blockIndex } from './deltas.ts'

interface GrowingBlock {
  block: JsonObject
  /** The JSON of a tool's input as received so far. */
  inputText: string
}

/** Assembles the message from these events. */
export function assembleMessage(events: readonly JsonObject[]): JsonObject {
  const blocks = new Map<number, GrowingBlock>()
  let message: JsonObject = { type: 'message', role: 'assistant' }
  for (const event of events) {
    if (event.type === 'message_start' && isObject(event.message)) message = event.message
    if (event.type === 'content_block_start' && isObject(event.content_block))
      blocks.set(blockIndex(event), { block: event.content_block, inputText: '' })
    if (event.type === 'content_block_delta' && isObject(event.delta))
      grow(blocks, blockIndex(event), event.delta)
    if (event.type === 'message_delta') message = withEnd(message, event)
  }
  const ordered = [...blocks].sort(([left], [right]) => left - right)
  return { ...message, content: ordered.map(([, growing]) => finish(growing)) }
}

function withEnd(message: JsonObject, { type: _, delta, usage, ...rest }: JsonObject): JsonObject {
  const known = Object.entries(isObject(usage) ? usage : {}).filter(([, value]) => value !== null)
  return {
    ...message,
    ...rest,
    ...(isObject(delta) ? delta : {}),
    usage: { ...(isObject(message.usage) ? message.usage : {}), ...Object.fromEntries(known) },
  }
}

function grow(blocks: Map<number, GrowingBlock>, index: number, delta: JsonObject): void {
  const growing = blocks.get(index) ?? { block: {}, inputText: '' }
  const { block } = growing
  if (delta.type === 'input_json_delta') {
    blocks.set(index, { ...growing, inputText: growing.inputText + textOf(delta.partial_json) })
  } else if (delta.type === 'citations_delta') {
    const citations = Array.isArray(block.citations) ? block.citations : []
    blocks.set(index, { ...growing, block: { ...block, citations: [...citations, delta.citation ?? null] } })
  } else {
    const { type: _, ...members } = delta
    blocks.set(index, { ...growing, block: joined(block, members) })
  }
}

/** Texts are appended; everything else is replaced. */
function joined(block: JsonObject, members: JsonObject): JsonObject {
  const next = { ...block }
  for (const [key, value] of Object.entries(members)) {
    next[key] = typeof value === 'string' ? textOf(ownMember(next, key)) + value : value
  }
  return next
}

/** An input that is not valid JSON stays a string, so checks still see it. */
function finish({ block, inputText }: GrowingBlock): JsonObject {
  if (inputText === '') return block
  const input = parseJson(inputText)
  return { ...block, input: input === undefined ? inputText : (input as Json) }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The events of this message; none for other bodies. */
export function disassembleMessage(body: JsonObject): JsonObject[] {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...rest } = body
  if (!Array.isArray(content)) return []
  const blocks = content.filter(isObject)
  const started = isObject(usage) ? { ...usage, output_tokens: 0 } : usage
  return [
    {
      type: 'message_start',
      message: {
        ...rest,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: started,
      },
    },
    ...blocks.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: {
        stop_reason: stop_reason ?? null,
        stop_sequence: stop_sequence ?? null,
        stop_details: stop_details ?? null,
        container: body.container ?? null,
      },
      usage,
    },
    { type: 'message_stop' },
  ]
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const { start, deltas } = opened(block)
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** A block's start event and deltas. */
function opened(block: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
  if (block.type === 'text') {
    const citations = Array.isArray(block.citations) ? block.citations : []
    const cited = citations.map((citation) => ({ type: 'citations_delta', citation }))
    const start = { ...block, text: '', ...(block.citations === undefined ? {} : { citations: null }) }
    return { start, deltas: [{ type: 'text_delta', text: textOf(block.text) }, ...cited] }
  }
  if (block.type === 'thinking') {
    const deltas = [
      { type: 'thinking_delta', thinking: textOf(block.thinking) },
      { type: 'signature_delta', signature: textOf(block.signature) },
    ]
    return { start: { ...block, thinking: '', signature: '' }, deltas }
  }
  if (block.input === undefined) return { start: block, deltas: [] }
  const text = typeof block.input === 'string' ? block.input : JSON.stringify(block.input)
  return {
    start: { ...block, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: text }],
  }
}
