/** One streamed chat request of the playground. */

import { ApiError, type Row, send } from '../../api.ts'
import { rowOf } from '../../json.ts'
import { cacheText } from '../../parts/cache-text.ts'
import { targetText } from '../../parts/target-text.ts'
import { addDelta, nothingSaid, type Said } from './playground-said.ts'

export interface Run {
  said: Said
  error: string | null
  isDone: boolean
  /** Facts about the answer from its headers. */
  facts: readonly (readonly [string, string])[]
}

export const emptyRun: Run = { said: nothingSaid, error: null, isDone: false, facts: [] }

const shownHeaders: readonly (readonly [name: string, label: string, wordsOf?: (value: string) => string])[] =
  [
    ['x-gateway-provider', 'Provider'],
    ['x-gateway-last-used-option-index', 'Target', targetText],
    ['x-gateway-retry-attempt-count', 'Retries'],
    ['x-gateway-cache-status', 'Cache', cacheText],
    ['x-gateway-trace-id', 'Trace'],
  ]

interface Delta {
  /** The delta of the first choice. */
  delta: Row
  usage: string | null
  error: string | null
}

function readEvent(data: string): Delta {
  const none = { delta: {}, usage: null, error: null }
  if (data === '[DONE]') return none
  let event: Row
  try {
    event = rowOf(JSON.parse(data))
  } catch {
    return { ...none, error: 'The stream holds an event that is not JSON.' }
  }
  if (event.error !== undefined && event.error !== null)
    return { ...none, error: String(rowOf(event.error).message) }
  const [choice] = Array.isArray(event.choices) ? event.choices : []
  const usage = rowOf(event.usage)
  return {
    delta: rowOf(rowOf(choice).delta),
    usage: typeof usage.total_tokens === 'number' ? String(usage.total_tokens) : null,
    error: null,
  }
}

const sizeOf = ({ text, reasoning, refusal, toolCalls }: Said): number =>
  toolCalls.reduce(
    (sum, call) => sum + 1 + call.name.length + call.arguments.length,
    text.length + reasoning.length + refusal.length,
  )

/** Whether a chunk added content. Chunks that contain only the role add none. */
const isMore = (said: Said, before: Said): boolean => sizeOf(said) > sizeOf(before)

/** The `data` of each complete event of a stream. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    rest = (rest + decoder.decode(value, { stream: !done })).replaceAll('\r\n', '\n')
    const parts = rest.split('\n\n')
    rest = done ? '' : (parts.pop() ?? '')
    for (const part of parts) {
      const lines = part.split('\n').filter((line) => line.startsWith('data:'))
      if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join('\n')
    }
    if (done) return
  }
}

interface RunChatOptions {
  body: Row
  headers: Record<string, string>
  signal: AbortSignal
}

/**
 * @param path path of an endpoint that answers chat completions
 * @param tell called with the partial answer
 */
export async function runChat(
  path: string,
  { body, headers, signal }: RunChatOptions,
  tell: (run: Run) => void,
): Promise<void> {
  const started = performance.now()
  let run = emptyRun
  let firstAt: number | null = null
  const update = (changes: Partial<Run>) => {
    run = { ...run, ...changes }
    tell(run)
  }
  try {
    const response = await send('POST', path, {
      body: { ...body, stream: true, stream_options: { include_usage: true } },
      headers: { ...headers, accept: 'text/event-stream' },
      signal,
    })
    const facts: (readonly [string, string])[] = shownHeaders.flatMap(([name, label, wordsOf]) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[label, wordsOf?.(value) ?? value] as const]
    })
    if (response.body === null)
      throw new ApiError(0, 'empty', { message: 'The answer has no body.', faults: [] })
    let usage: string | null = null
    for await (const data of eventsOf(response.body)) {
      const event = readEvent(data)
      usage = event.usage ?? usage
      const said = addDelta(run.said, event.delta)
      if (isMore(said, run.said)) firstAt ??= performance.now()
      if (isMore(said, run.said) || event.error !== null) update({ said, error: event.error ?? run.error })
    }
    if (usage !== null) facts.push(['Tokens', usage])
    if (firstAt !== null) facts.push(['First token', `${Math.round(firstAt - started)} ms`])
    facts.push(['Time', `${Math.round(performance.now() - started)} ms`])
    update({ facts, isDone: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // The trace leads to the log's details of a refusal, such as guardrail verdicts.
    const facts =
      error instanceof ApiError && error.traceId !== null ? [['Trace', error.traceId] as const] : run.facts
    update({ error: signal.aborted ? 'Stopped.' : message, facts, isDone: true })
  }
}
