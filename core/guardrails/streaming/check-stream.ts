/**
 * Output checks on a streamed answer (contract section 5). Without `deny`, the stream is passed on immediately and the
 * verdict follows. With `deny`, the text is held back: in windows if every denying check supports them and bounds its
 * match; otherwise, or if a hook may change the text, to the end. A denial ends the stream with an error event; before
 * the first byte it is a plain 446.
 */

import { GatewayError, isObject, type JsonObject, parseJson, type TextPart } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import {
  type Answer,
  type AnswerStream,
  type CheckPorts,
  type CompiledHook,
  type HookResult,
  noRetryHeaders,
  type Resolved,
  type Routed,
  type WindowSize,
} from '@gateway/flow'
import { coalesceReads, createEventReader, parseEvents, prefixStream } from '@gateway/streaming'
import { checkEnvironment, runLater } from '../environment.ts'
import { type CheckSubject, createCheckInput, createTextInput } from '../input.ts'
import { denialAnswer, render, runHooks, StreamDenial } from '../run-hooks.ts'
import { createTextWindow } from './hold-back-window.ts'
import { rewrite, splitLast } from './stream-parts.ts'

/** The maximum size of a stream held back to its end. */
const maxHeldBytes = 16 * 1_048_576

/** A streamed answer and its checks. */
export interface StreamCheck {
  ports: CheckPorts
  exchange: Resolved
  hooks: readonly CompiledHook[]
  answer: Answer
  stream: AnswerStream
  /** The checks' input in addition to the answer. */
  subject: Omit<CheckSubject, 'response'>
}

interface RunningCheck extends StreamCheck {
  answer: Answer & { lateResults: HookResult[] }
}

export async function checkStream(check: StreamCheck): Promise<Answer> {
  const { hooks, answer } = check
  const mayDeny = hooks.some(({ deny, denyOnSuccess, async }) => (deny || denyOnSuccess) && !async)
  const headers = mayDeny ? { ...answer.headers, ...noRetryHeaders } : answer.headers
  const own = { ...answer, headers, lateResults: [] }
  const checked = chooseMode({ ...check, answer: own })
  try {
    const first = await checked.next()
    const head = first.done === true ? [] : [first.value]
    return { ...own, stream: prefixStream(head, checked) }
  } catch (error) {
    if (!(error instanceof StreamDenial)) throw error
    return denialAnswer('after', { ...answer, afterResults: error.results })
  }
}

function chooseMode(check: RunningCheck): AnswerStream {
  const { exchange, hooks } = check
  if (hooks.length === 0) return tellResults(check)
  const waited = hooks.filter((hook) => !hook.async)
  if (waited.some(mayChange) || waited.some(({ denyOnSuccess }) => denyOnSuccess)) return holdWhole(check)
  const denying = waited.filter((hook) => hook.deny)
  const size = windowFor(denying, exchange.workspace.streamWindow)
  if (size === null) return holdWhole(check)
  const rest = hooks.filter((hook) => !denying.includes(hook))
  return holdWindows(check, { denying, rest, size })
}

/** Whether a hook may change the answer, which is impossible once it is being streamed. */
const mayChange = ({ type, checks }: CompiledHook): boolean =>
  type === 'mutator' || checks.some(({ prepared }) => prepared.transforms === true)

const formatOf = ({ endpoint }: Routed): StreamFormat => endpoint.format

/** Nothing is checked; results of the before phase are added at the end. */
async function* tellResults({
  exchange,
  answer,
  stream,
}: RunningCheck): AsyncGenerator<Buffer, void, undefined> {
  const format = formatOf(exchange)
  let ending = format.ending
  for await (const bytes of stream) {
    if (!format.marks.some((mark) => bytes.includes(mark))) {
      yield bytes
      continue
    }
    const { events, last } = splitLast(bytes, format)
    if (events.length > 0) yield Buffer.concat(events)
    ending = last ?? ending
  }
  yield Buffer.concat([...resultsEvent(exchange, answer, []), ending])
}

/** Everything is held back to the end, checked as one body, and sent unchanged unless a mutator changed it. */
async function* holdWhole({
  ports,
  exchange,
  hooks,
  answer,
  stream,
  subject,
}: RunningCheck): AsyncGenerator<Buffer, void, undefined> {
  const held: Buffer[] = []
  let heldBytes = 0
  const counted = exchange.transport.buffers.open()
  for await (const bytes of stream) {
    held.push(bytes)
    heldBytes += bytes.length
    counted.resize(heldBytes)
    if (heldBytes > maxHeldBytes) {
      throw new GatewayError('upstream_invalid_response', 'The answer is too large to be checked.')
    }
  }
  const bytes = Buffer.concat(held)
  const format = formatOf(exchange)
  const body = format.assemble(
    parseEvents(bytes)
      .map(({ data }) => parseJson(data))
      .filter(isObject),
  )
  const inputOf = (json: JsonObject) =>
    createCheckInput({ ...subject, response: { json, status: answer.status } })
  const outcome = await runHooks(hooks, body, {
    inputOf,
    environment: checkEnvironment(ports, exchange),
    runLater: (run) => runLater(ports, exchange, { phase: 'after', run }),
  })
  answer.lateResults.push(...outcome.results)
  if (outcome.isDenied) throw new StreamDenial(outcome.results)
  exchange.request.record.original = outcome.body === body ? null : body
  const { events, last } = outcome.body === body ? splitLast(bytes, format) : rewrite(outcome.body, format)
  const ending = last ?? format.ending
  yield Buffer.concat([...events, ...resultsEvent(exchange, answer, outcome.results), ending])
}

interface WindowHooks {
  denying: readonly CompiledHook[]
  /** Checked at the end, on the whole text. */
  rest: readonly CompiledHook[]
  size: WindowSize
}

async function* holdWindows(
  running: RunningCheck,
  hooks: WindowHooks,
): AsyncGenerator<Buffer, void, undefined> {
  const { exchange, answer, stream } = running
  const holds = hooks.denying.length > 0
  const format = formatOf(exchange)
  const window = createTextWindow({ ...hooks.size, keepsWhole: hooks.rest.length > 0 }, format)
  const reader = createEventReader(format, window.stepChars)
  const counted = exchange.transport.buffers.open()
  let ending = format.ending
  let results: HookResult[] = []
  const check = async (parts: readonly TextPart[]) => {
    const found = await runText({ ...running, hooks: hooks.denying }, parts)
    results = found.map((result, index) => mergeResult(results[index], result))
    if (found.every(({ verdict }) => verdict)) return
    answer.lateResults.push(...results)
    throw new StreamDenial(results)
  }
  const wanted = {
    missingChars: () => (holds ? window.missingChars() : 0),
    aroundBytes: reader.aroundBytes,
  }
  for await (const bytes of coalesceReads(stream, wanted)) {
    for (const events of reader.read(bytes)) {
      if (events.isLast) {
        ending = events.bytes
        continue
      }
      window.add(events)
      counted.resize(window.sizeBytes())
      if (!holds) continue
      let parts = window.next()
      if (parts === null) continue
      for (; parts !== null; parts = window.next()) await check(parts)
      const released = window.release()
      if (released.length > 0) yield released
    }
    if (!holds) yield window.releaseAll()
  }
  const last = holds ? window.rest() : []
  if (last.length > 0 || results.length === 0) await check(last)
  const rest =
    hooks.rest.length === 0 ? [] : await runText({ ...running, hooks: hooks.rest }, window.wholeParts())
  const released = window.releaseAll()
  const verdicts = [...results, ...rest]
  answer.lateResults.push(...verdicts)
  if (released.length > 0 || verdicts.length > 0) {
    yield Buffer.concat([released, ...resultsEvent(exchange, answer, verdicts)])
  }
  yield ending
}

async function runText(
  { ports, exchange, hooks, answer, subject }: StreamCheck,
  parts: readonly TextPart[],
): Promise<HookResult[]> {
  if (hooks.length === 0) return []
  const input = createTextInput({ ...subject, response: { json: null, status: answer.status }, parts })
  const environment = checkEnvironment(ports, exchange)
  const outcome = await runHooks(
    hooks,
    {},
    {
      inputOf: () => input,
      environment,
      runLater: (run) => runLater(ports, exchange, { phase: 'after', run }),
    },
  )
  return outcome.results
}

/** A hook's result over all windows: times are added up, and the last verdict counts. */
function mergeResult(before: HookResult | undefined, now: HookResult): HookResult {
  return before === undefined ? now : { ...now, execution_time: before.execution_time + now.execution_time }
}

/** Whether the caller accepts events beyond the format. */
export const takesResults = ({ options, node }: Resolved): boolean =>
  (options?.strict ?? node?.strict ?? true) === false

/** The verdict as the stream's last event. */
function resultsEvent(exchange: Resolved, answer: Answer, results: readonly HookResult[]): Buffer[] {
  if (!takesResults(exchange) || (results.length === 0 && answer.beforeResults.length === 0)) return []
  return [formatOf(exchange).writeExtra({ hook_results: render(answer.beforeResults, results) })]
}

/** Checks that must see more at once, in UTF-16 units, get the whole text. */
const longestOverlap = 16_384

/**
 * The overlap for the hooks that may deny a stream: the configured one, or a larger one that a check needs. Null when a
 * check needs the whole text.
 */
function windowFor(hooks: readonly CompiledHook[], set: WindowSize): WindowSize | null {
  let longest = 0
  for (const { checks } of hooks) {
    for (const { windowed, longestMatch } of checks.map(({ prepared }) => prepared)) {
      // A value that is not a number means no bound.
      const isBounded = windowed === true && Number(longestMatch ?? Number.NaN) <= longestOverlap
      if (!isBounded) return null
      longest = Math.max(longest, longestMatch ?? 0)
    }
  }
  if (longest <= set.overlapChars) return set
  // Each piece of text is checked about twice, for any length of the overlap.
  return { windowChars: Math.max(set.windowChars, longest), overlapChars: longest }
}
