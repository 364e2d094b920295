/**
 * The stream of a message: named events from `message_start` to `message_stop`.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type JsonObject, parseJson, type StreamEvent } from '@gateway/contract'
import { messageUsage, type StreamFormat, writeNamedEvent } from '@gateway/contract/dialect'
import { assembleMessage, disassembleMessage } from './assemble.ts'
import { endedTexts, messageDeltas, writtenDeltas } from './deltas.ts'
import { errorBody, readError } from './errors.ts'

const write = (event: JsonObject): Buffer =>
  writeNamedEvent(typeof event.type === 'string' ? event.type : 'message', event)

export const messagesFormat: StreamFormat = {
  write,
  ending: Buffer.alloc(0),
  trailer: null,
  marks: ['message_stop', '"error"', 'event: error', 'event:error'].map((text) => Buffer.from(text)),
  isLast,
  writeLast: ({ data }) => {
    const event = parseJson(data)
    return write({ type: 'message_stop', ...(isObject(event) ? event : {}) })
  },
  finishMarks: [],
  repair: null,
  readError,
  isOpening,
  deltas: messageDeltas,
  written: { marks: [Buffer.from('content_block_')], deltas: writtenDeltas },
  textAlone,
  groupOf: () => '',
  ended: endedTexts,
  assemble: assembleMessage,
  disassemble: disassembleMessage,
  usageMarks: [Buffer.from('"usage"')],
  usageOf: messageUsage,
  errorBody,
  writeError: (body, failure) => writeNamedEvent('error', errorBody(body, failure)),
  writeFailed: null,
  writeExtra: (extra) => write({ type: Object.keys(extra)[0] ?? 'extra', ...extra }),
}

/** The text of a delta if it is the only member besides the type; null otherwise. */
function textAlone({ type, delta }: JsonObject): string | null {
  if (type !== 'content_block_delta' || !isObject(delta)) return null
  const { type: _, ...members } = delta
  const [text, ...others] = Object.values(members)
  return typeof text === 'string' && others.length === 0 ? text : null
}

/** An event without a name has its type in the data. */
function isLast({ event, data }: StreamEvent): boolean {
  if (event !== null) return event === 'message_stop'
  const parsed = data.includes('message_stop') ? parseJson(data) : null
  return isObject(parsed) && parsed.type === 'message_stop'
}

/** Whether a block starts empty. Text and thinking do; a tool call starts with the tool's name. */
function isOpening(event: JsonObject): boolean {
  if (event.type === 'message_start' || event.type === 'ping') return true
  if (event.type !== 'content_block_start' || !isObject(event.content_block)) return false
  const { type } = event.content_block
  return (type === 'text' || type === 'thinking') && messageDeltas(event).length === 0
}
