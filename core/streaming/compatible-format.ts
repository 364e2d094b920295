/** The compatible format: unnamed events that contain chunks, followed by `[DONE]`. */
import {
  isObject,
  type Json,
  type JsonObject,
  ownMember,
  parseJson,
  type StreamEvent,
  type UpstreamFault,
} from '@gateway/contract'
import {
  type Delta,
  faultOf,
  indexed,
  readUsage,
  type StreamFormat,
  type Usage,
  writeEvent,
} from '@gateway/contract/dialect'
import { chatRepair } from './repair-chat.ts'
import { doneEvent } from './sse-splitter.ts'

/** Members of a delta that are not repeated. */
const saidOnce = new Set(['role', 'name'])

const write = (chunk: JsonObject): Buffer => writeEvent(JSON.stringify(chunk))

export const compatibleFormat: StreamFormat = {
  write,
  ending: doneEvent,
  trailer: null,
  marks: ['[DONE]', '"error"', 'event:'].map((text) => Buffer.from(text)),
  isLast: ({ data }) => data.trim() === '[DONE]',
  writeLast: () => doneEvent,
  // Not `"finish_reason":null`, which every chunk may contain.
  finishMarks: ['"finish_reason":"', '"finish_reason": "'].map((text) => Buffer.from(text)),
  repair: chatRepair,
  readError,
  isOpening,
  deltas: textDeltas,
  written: { marks: ['"delta"', '"text"'].map((text) => Buffer.from(text)), deltas: writtenDeltas },
  textAlone,
  // `0` of `/choices/0/message/content`
  groupOf: (path) => path.split('/', 3)[2] ?? '',
  ended: (chunk) =>
    indexed(chunk.choices)
      .filter(([, { finish_reason: reason }]) => typeof reason === 'string' && reason !== '')
      .map(([index]) => `/choices/${index}/`),
  assemble,
  disassemble,
  // Not `"usage":null`, which every chunk may contain.
  usageMarks: ['"usage":{', '"usage": {'].map((text) => Buffer.from(text)),
  usageOf,
  errorBody: (body) => body,
  writeError: write,
  writeFailed: null,
  writeExtra: (extra) => write({ choices: [], ...extra }),
}

function readError(event: StreamEvent): UpstreamFault | null {
  const data = parseJson(event.data)
  if (!isObject(data)) return event.event === 'error' ? faultOf({ message: event.data }) : null
  const { error } = data
  if (isObject(error)) return faultOf(error)
  if (typeof error === 'string' && error !== '') return faultOf({ ...data, message: error })
  return event.event === 'error' || data.object === 'error' ? faultOf(data) : null
}

/** A chunk whose choices contain only a role so far. */
function isOpening({ choices }: JsonObject): boolean {
  if (!Array.isArray(choices) || choices.length === 0) return false
  return choices.every((choice) => {
    if (!isObject(choice) || !isObject(choice.delta)) return false
    const hasFinished = choice.finish_reason !== null && choice.finish_reason !== undefined
    return (
      !hasFinished && Object.entries(choice.delta).every(([key, value]) => key === 'role' || isEmpty(value))
    )
  })
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The usage in a chunk is that of the whole answer. */
function usageOf({ usage }: JsonObject, before: Usage | null): Usage | null {
  return isObject(usage) ? readUsage(usage) : before
}

/** The texts that a chunk adds, with the paths that the endpoint's readers use in a whole answer. */
function textDeltas(chunk: JsonObject): Delta[] {
  const deltas: Delta[] = []
  if (!Array.isArray(chunk.choices)) return deltas
  for (const choice of chunk.choices) if (isObject(choice)) addDeltas(choice, deltas)
  return deltas
}

function addDeltas(choice: JsonObject, deltas: Delta[]): void {
  const at = `/choices/${typeof choice.index === 'number' ? choice.index : 0}`
  const add = (path: string, text: Json | undefined) => {
    if (typeof text === 'string' && text !== '') deltas.push({ path: at + path, text })
  }
  add('/text', choice.text)
  const { delta } = choice
  if (!isObject(delta)) return
  for (const member of ['content', 'refusal', 'reasoning_content', 'reasoning'] as const)
    add(`/message/${member}`, delta[member])
  if (isObject(delta.audio)) add('/message/audio/transcript', delta.audio.transcript)
  if (isObject(delta.function_call)) add('/message/function_call/arguments', delta.function_call.arguments)
  for (const [index, call] of indexed(delta.tool_calls)) {
    const path = `/message/tool_calls/${index}`
    if (isObject(call.function)) add(`${path}/function/arguments`, call.function.arguments)
    if (isObject(call.custom)) add(`${path}/custom/input`, call.custom.input)
  }
  for (const [index, block] of indexed(delta.content_blocks)) {
    for (const member of ['text', 'thinking'] as const)
      add(`/message/content_blocks/${index}/${member}`, block[member])
  }
}

const reasoning = /\/message\/reasoning$/

/** Some providers send the same reasoning under both names. */
function writtenDeltas(chunk: JsonObject): Delta[] {
  const deltas = textDeltas(chunk)
  return deltas.filter(
    ({ path }) => !reasoning.test(path) || !deltas.some((other) => other.path === `${path}_content`),
  )
}

/** Members of a chunk other than its choices, and of a choice other than its delta and text, replace earlier ones. */
function textAlone({ choices }: JsonObject): string | null {
  const [choice] = Array.isArray(choices) && choices.length === 1 ? choices : []
  if (!isObject(choice)) return null
  const { delta, text } = choice
  if (!isObject(delta)) return delta === undefined && typeof text === 'string' ? text : null
  const grown = Object.entries(delta).filter(
    ([name, value]) =>
      !saidOnce.has(name) && (typeof value === 'string' || (typeof value === 'object' && value !== null)),
  )
  const [member] = grown
  return text === undefined && grown.length === 1 && typeof member?.[1] === 'string' ? member[1] : null
}

interface Choice {
  index: number
  finish_reason: JsonObject[string]
  text: string | null
  message: JsonObject
  toolCalls: Map<number, JsonObject>
  blocks: Map<number, JsonObject>
  extra: JsonObject
}

/** Joins all chunks to one chat completion, or text completion. */
function assemble(chunks: readonly JsonObject[]): JsonObject {
  const choices = new Map<number, Choice>()
  const whole: JsonObject = {}
  for (const chunk of chunks) {
    for (const key in chunk) {
      const value = chunk[key]
      if (key !== 'choices' && value !== undefined && value !== null) whole[key] = value
    }
    if (Array.isArray(chunk.choices))
      for (const choice of chunk.choices) if (isObject(choice)) addChoice(choices, choice)
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
  if (isObject(functionCall)) join(choice.message, { function_call: functionCall })
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

/** Texts, arrays and objects are appended; other values are replaced. Names are sent once. */
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

/** The chunks of a whole answer: its text, its finish reason, and finally its usage, if any. */
function disassemble(body: JsonObject): JsonObject[] {
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
