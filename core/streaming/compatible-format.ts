/** The compatible format: unnamed events that hold chunks, and `[DONE]` behind them. */
import { isObject, type JsonObject, type StreamEvent, UpstreamFault } from '@gateway/contract'
import type { StreamFormat } from '../flow/stream-format.ts'
import type { Usage } from '../flow/usage.ts'
import { readUsage } from '../metering/usage.ts'
import { parseJson } from '../shared/json.ts'
import { assemble, disassemble } from './assemble.ts'
import { indexed, textDeltas } from './deltas.ts'
import { doneEvent, writeEvent } from './sse-splitter.ts'

const write = (chunk: JsonObject): Buffer => writeEvent(JSON.stringify(chunk))

export const compatibleFormat: StreamFormat = {
  write,
  ending: doneEvent,
  trailer: null,
  marks: ['[DONE]', '"error"', 'event:'].map((text) => Buffer.from(text)),
  isLast: ({ data }) => data.trim() === '[DONE]',
  writeLast: () => doneEvent,
  readError,
  isOpening,
  deltas: textDeltas,
  // `0` of `/choices/0/message/content`
  groupOf: (path) => path.split('/', 3)[2] ?? '',
  ended: (chunk) =>
    indexed(chunk.choices)
      .filter(([, choice]) => typeof choice.finish_reason === 'string')
      .map(([index]) => `/choices/${index}/`),
  assemble,
  disassemble,
  // Not `"usage":null`, which may stand in every chunk.
  usageMarks: ['"usage":{', '"usage": {'].map((text) => Buffer.from(text)),
  usageOf,
  errorBody: (body) => body,
  writeError: write,
  writeResults: (results) => write({ choices: [], hook_results: results }),
}

function readError(event: StreamEvent): UpstreamFault | null {
  const data = parseJson(event.data)
  if (!isObject(data)) return event.event === 'error' ? faultOf({ message: event.data }) : null
  const { error } = data
  if (isObject(error)) return faultOf(error)
  if (typeof error === 'string' && error !== '') return faultOf({ ...data, message: error })
  return event.event === 'error' || data.object === 'error' ? faultOf(data) : null
}

/** What an error object of an upstream says; 502 where it names no status. */
export function faultOf(error: JsonObject): UpstreamFault {
  const { message, type, param, code, status } = error
  const named = [status, code].find((value) => typeof value === 'number' && value >= 400 && value <= 599)
  return new UpstreamFault({
    status: typeof named === 'number' ? named : 502,
    message: typeof message === 'string' ? message : 'The provider ended the stream with an error.',
    type: typeof type === 'string' ? type : 'upstream_error',
    param: typeof param === 'string' ? param : null,
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : 'upstream_error',
  })
}

/** A chunk whose choices only name a role so far. */
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

/** A chunk's usage is the whole answer's. */
function usageOf({ usage }: JsonObject, before: Usage | null): Usage | null {
  return isObject(usage) ? readUsage(usage) : before
}
