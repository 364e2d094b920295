/** A streamed answer as one body, and a body as a stream: for checks and mutators that need the whole. */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import { indexed } from './deltas.ts'

interface Choice {
  index: number
  finish_reason: JsonObject[string]
  text: string | null
  message: JsonObject
  toolCalls: Map<number, JsonObject>
  blocks: Map<number, JsonObject>
  extra: JsonObject
}

/** One chat completion, or text completion, of all its chunks. */
export function assemble(chunks: readonly JsonObject[]): JsonObject {
  const choices = new Map<number, Choice>()
  const whole: JsonObject = {}
  for (const chunk of chunks) {
    for (const [key, value] of Object.entries(chunk)) {
      if (key !== 'choices' && value !== undefined && value !== null) whole[key] = value
    }
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      if (isObject(choice)) addChoice(choices, choice)
    }
  }
  if (whole.object === 'chat.completion.chunk') whole.object = 'chat.completion'
  const ordered = [...choices.values()].sort((left, right) => left.index - right.index)
  return { ...whole, choices: ordered.map(finishChoice) }
}

function addChoice(choices: Map<number, Choice>, choice: JsonObject): void {
  const index = typeof choice.index === 'number' ? choice.index : 0
  const known = choices.get(index) ?? {
    index,
    finish_reason: null,
    text: null,
    message: {},
    toolCalls: new Map<number, JsonObject>(),
    blocks: new Map<number, JsonObject>(),
    extra: {},
  }
  choices.set(index, known)
  const { delta, text, finish_reason: finishReason, index: _, ...extra } = choice
  Object.assign(known.extra, extra)
  if (finishReason !== null && finishReason !== undefined) known.finish_reason = finishReason
  if (typeof text === 'string') known.text = (known.text ?? '') + text
  if (isObject(delta)) addDelta(known, delta)
}

function addDelta(choice: Choice, delta: JsonObject): void {
  const { tool_calls: toolCalls, content_blocks: blocks, function_call: functionCall, ...members } = delta
  join(choice.message, members)
  if (isObject(functionCall)) {
    const call = isObject(choice.message.function_call) ? choice.message.function_call : {}
    choice.message.function_call = call
    join(call, functionCall)
  }
  for (const [index, part] of indexed(toolCalls)) addToolCall(entryAt(choice.toolCalls, index), part)
  for (const [index, { index: _, type, ...part }] of indexed(blocks)) {
    const block = entryAt(choice.blocks, index)
    if (type !== undefined) block.type = type
    join(block, part)
  }
}

function entryAt(entries: Map<number, JsonObject>, index: number): JsonObject {
  const entry = entries.get(index) ?? {}
  entries.set(index, entry)
  return entry
}

function addToolCall(call: JsonObject, { index: _, ...part }: JsonObject): void {
  for (const [key, value] of Object.entries(part)) {
    if (value === undefined || value === null) continue
    const known = ownMember(call, key)
    if (!isObject(value)) call[key] = value
    else if (isObject(known)) join(known, value)
    else call[key] = { ...value }
  }
}

const saidOnce = new Set(['role', 'name'])

/** Texts grow, arrays and objects too; everything else is replaced. Names are said once. */
function join(into: JsonObject, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    const known = ownMember(into, key)
    if (value === undefined || (value === null && known !== undefined)) continue
    if (typeof value === 'string' && typeof known === 'string' && !saidOnce.has(key)) {
      into[key] = known + value
    } else if (Array.isArray(value) && Array.isArray(known)) {
      into[key] = [...known, ...value]
    } else if (isObject(value) && isObject(known)) {
      const grown = { ...known }
      join(grown, value)
      into[key] = grown
    } else {
      into[key] = value
    }
  }
}

function finishChoice(choice: Choice): JsonObject {
  const base: JsonObject = { index: choice.index, ...choice.extra, finish_reason: choice.finish_reason }
  if (choice.text !== null) return { ...base, text: choice.text }
  const message: JsonObject = { role: 'assistant', content: null, ...choice.message }
  if (choice.toolCalls.size > 0) message.tool_calls = inOrder(choice.toolCalls)
  if (choice.blocks.size > 0) message.content_blocks = inOrder(choice.blocks)
  return { ...base, message }
}

const inOrder = (entries: Map<number, JsonObject>): JsonObject[] =>
  [...entries].sort(([left], [right]) => left - right).map(([, entry]) => entry)

/** The chunks of a whole answer: its text in one, its end in the next, usage last when it was there. */
export function disassemble(body: JsonObject): JsonObject[] {
  const { choices, usage, ...rest } = body
  if (rest.object === 'chat.completion') rest.object = 'chat.completion.chunk'
  const chunks = (Array.isArray(choices) ? choices : []).flatMap((choice) => {
    if (!isObject(choice)) return []
    const { message, finish_reason: finishReason, ...members } = choice
    if (!isObject(message)) return [{ ...rest, choices: [choice] }]
    const delta = { ...message }
    for (const list of ['tool_calls', 'content_blocks'] as const)
      if (Array.isArray(message[list])) delta[list] = numbered(message[list])
    return [
      { ...rest, choices: [{ ...members, delta, finish_reason: null }] },
      { ...rest, choices: [{ ...members, delta: {}, finish_reason: finishReason ?? null }] },
    ]
  })
  return usage === undefined ? chunks : [...chunks, { ...rest, choices: [], usage }]
}

const numbered = (list: readonly Json[]): Json[] =>
  list.map((part, index) => (isObject(part) ? { index, ...part } : part))
