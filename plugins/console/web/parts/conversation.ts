/**
 * Converts a logged request or answer of any endpoint to readable turns: the text of each role, tool calls and their
 * results, images, and reasoning. Bodies of unknown shape have no turns.
 */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; name: string; text: string }
  | { kind: 'result'; name: string; text: string }
  /** `url` is null if the log only records that there was media. */
  | { kind: 'media'; name: string; url: string | null }

export interface Turn {
  role: string
  parts: readonly Part[]
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const jsonOf = (value: unknown): string => {
  if (typeof value !== 'string') return JSON.stringify(value ?? null, null, 2)
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

const texts = (kind: 'text' | 'thinking', text: unknown): Part[] =>
  typeof text === 'string' && text !== '' ? [{ kind, text }] : []

const call = (name: unknown, given: unknown): Part => ({
  kind: 'call',
  name: stringOf(name),
  text: jsonOf(given),
})

/** A result that consists of text becomes a string; any other result becomes JSON. */
function resultOf(name: unknown, content: unknown): Part {
  const blocks = rowsOf(content)
  const read = blocks.flatMap((block) => partsOf(block))
  const isText = blocks.length > 0 && read.every(({ kind }) => kind === 'text')
  const text = isText ? read.map((part) => ('text' in part ? part.text : '')).join('\n') : jsonOf(content)
  return { kind: 'result', name: stringOf(name), text }
}

const mediaNames: readonly (readonly [string, string])[] = [
  ['image', 'Image'],
  ['audio', 'Audio'],
  ['video', 'Video'],
  ['file', 'File'],
  ['document', 'Document'],
]

/** Finds media in any format: a URL, or bytes with their type. */
function mediaOf(block: Row): Part[] {
  const inline = rowOf(block.inlineData ?? block.inline_data ?? block.fileData)
  const type = `${stringOf(block.type)} ${stringOf(inline.mimeType ?? inline.mime_type)}`
  const [, name = null] = mediaNames.find(([word]) => type.includes(word)) ?? []
  if (name === null) return []
  const source = rowOf(block.source)
  const named = [block.image_url, rowOf(block.image_url).url, source.url, inline.fileUri, block.file_url]
  const address = named.find((one) => typeof one === 'string')
  const bytes = source.data ?? inline.data
  const mime = source.media_type ?? inline.mimeType ?? inline.mime_type
  const isImage = name === 'Image' && typeof bytes === 'string' && typeof mime === 'string'
  const url = stringOf(address) || (isImage ? `data:${mime};base64,${bytes}` : '')
  return [{ kind: 'media', name, url: url === '' ? null : url }]
}

const summaryOf = ({ thinking, summary, content, text }: Row): string =>
  stringOf(thinking) ||
  [...rowsOf(summary), ...rowsOf(content)].map((one) => stringOf(one.text)).join('\n') ||
  stringOf(text)

/** Converts one block of any format. A block without readable content has no parts. */
function partsOf(block: Row): Part[] {
  const { type, text, functionCall, functionResponse } = block
  if (type === 'thinking' || type === 'reasoning' || block.thought === true)
    return texts('thinking', summaryOf(block))
  if (type === 'redacted_thinking') return texts('thinking', 'Encrypted by the provider.')
  if (type === 'refusal') return texts('text', block.refusal)
  if (type === 'tool_use' || type === 'server_tool_use') return [call(block.name, block.input)]
  if (type === 'function_call') return [call(block.name, block.arguments)]
  if (type === 'tool_result') return [resultOf('', block.content)]
  if (type === 'function_call_output') return [resultOf('', block.output)]
  if (functionCall !== undefined) return [call(rowOf(functionCall).name, rowOf(functionCall).args)]
  if (functionResponse !== undefined)
    return [resultOf(rowOf(functionResponse).name, rowOf(functionResponse).response)]
  return typeof text === 'string' ? texts('text', text) : mediaOf(block)
}

/** Converts a string or a list of blocks. */
const contentOf = (content: unknown): Part[] =>
  typeof content === 'string' ? texts('text', content) : rowsOf(content).flatMap(partsOf)

/** Converts a message of a chat, of the Messages API, or of `contents`. */
function messageOf(message: Row): Turn {
  const { role, content, parts, tool_calls: calls, function_call: legacy } = message
  const own = [
    ...texts('thinking', message.reasoning_content ?? message.reasoning),
    ...contentOf(content ?? parts),
    ...texts('text', message.refusal),
    ...rowsOf(calls).map((one) => call(rowOf(one.function).name, rowOf(one.function).arguments)),
    ...(legacy === undefined || legacy === null ? [] : [call(rowOf(legacy).name, rowOf(legacy).arguments)]),
  ]
  const isResult = role === 'tool' || role === 'function'
  return {
    role: stringOf(role) || 'user',
    parts: isResult ? [resultOf(message.name, content)] : own,
  }
}

/** Converts an item of the Responses API: a message, or a block outside of one. */
const itemOf = (item: Row): Turn => {
  if (item.role !== undefined || item.type === 'message') return messageOf({ role: 'assistant', ...item })
  const isResult = item.type === 'function_call_output'
  return { role: isResult ? 'tool' : 'assistant', parts: partsOf(item) }
}

const isSaid = ({ parts }: Turn): boolean => parts.length > 0

/** Merges consecutive turns of the assistant. */
function merged(turns: readonly Turn[]): Turn[] {
  const found: Turn[] = []
  for (const turn of turns.filter(isSaid)) {
    const last = found.at(-1)
    if (last?.role === turn.role && turn.role === 'assistant')
      found[found.length - 1] = { role: last.role, parts: [...last.parts, ...turn.parts] }
    else found.push(turn)
  }
  return found
}

/** Converts a prompt or an input: one or several strings, or items. */
function inputOf(input: unknown): Turn[] {
  if (Array.isArray(input) && input.every((one) => typeof one === 'string'))
    return input.map((one): Turn => ({ role: 'user', parts: texts('text', one) }))
  return typeof input === 'string'
    ? [{ role: 'user', parts: texts('text', input) }]
    : rowsOf(input).map((item) =>
        itemOf({ ...item, role: item.type === undefined ? (item.role ?? 'user') : item.role }),
      )
}

/** @param body body of a logged request */
export function requestTurns(body: unknown): Turn[] {
  const { system, instructions, systemInstruction, messages, contents, input, prompt } = rowOf(body)
  const systemTurn: Turn = {
    role: 'system',
    parts: [...contentOf(system ?? instructions), ...contentOf(rowOf(systemInstruction).parts)],
  }
  return merged([
    systemTurn,
    ...rowsOf(messages).map(messageOf),
    ...rowsOf(contents).map(messageOf),
    ...inputOf(input ?? prompt),
  ])
}

/** @param body body of a logged answer */
export function answerTurns(body: unknown): Turn[] {
  const { choices, candidates, output, content } = rowOf(body)
  const assistant = (message: unknown): Turn => ({ ...messageOf(rowOf(message)), role: 'assistant' })
  return merged([
    ...rowsOf(choices).map((one) => assistant(one.message ?? { content: one.text })),
    ...rowsOf(candidates).map((one) => assistant(one.content)),
    ...rowsOf(output).map(itemOf),
    ...(Array.isArray(content) ? [assistant({ content })] : []),
  ])
}
