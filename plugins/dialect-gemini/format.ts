/**
 * The stream of `generateContent`: unnamed events, each a partial answer. The format has no terminator, so a stream is
 * complete when it closes after a finish reason.
 * Reference: https://ai.google.dev/api/generate-content
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { type StreamFormat, writeEvent } from '@gateway/contract/dialect'
import { assembleContent, blankContent, disassembleContent } from './assemble.ts'
import { candidatesOf, contentDeltas, endedTexts, writtenDeltas } from './deltas.ts'
import { errorBody, readError } from './errors.ts'
import { contentUsage } from './read-usage.ts'

const write = (event: JsonObject): Buffer => writeEvent(JSON.stringify(event))
const bytes = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text))

export const contentFormat: StreamFormat = {
  write,
  ending: Buffer.alloc(0),
  trailer: null,
  marks: bytes('"error"', 'event:'),
  isLast: () => false,
  writeLast: ({ data }) => writeEvent(data),
  finishMarks: bytes('"finishReason"', '"blockReason"'),
  repair: null,
  readError,
  isOpening,
  deltas: contentDeltas,
  written: { marks: bytes('"parts"'), deltas: writtenDeltas },
  // Every event contains the usage so far.
  textAlone: () => null,
  // For example, `0` of `/candidates/0/content/parts/0/text`.
  groupOf: (path) => path.split('/', 3)[2] ?? '',
  ended: endedTexts,
  assemble: assembleContent,
  disassemble: disassembleContent,
  usageMarks: bytes('"usageMetadata"'),
  usageOf: contentUsage,
  errorBody,
  writeError: (body, failure) => write(errorBody(body, { ...failure, retryAfter: null })),
  writeFailed: null,
  writeExtra: (extra) => write({ candidates: [{ content: blankContent, index: 0 }], ...extra }),
}

/** Whether the candidates of an event have no content yet. */
function isOpening(event: JsonObject): boolean {
  if (event.promptFeedback !== undefined || endedTexts(event).length > 0) return false
  return candidatesOf(event).every(
    ([, { content }]) =>
      !isObject(content) ||
      !Array.isArray(content.parts) ||
      content.parts.every((part) => isObject(part) && part.text === ''),
  )
}
