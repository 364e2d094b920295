/**
 * Output checks on a streamed answer (contract section 5). Without `deny` it flows at once and the verdict follows;
 * with it the text is held back: in windows where every denying check can judge one, else to the end. A denial ends
 * the stream truthfully; before its first byte it is a plain 446.
 */

import type { Answer, AnswerStream } from '../answer.ts'
import { GatewayError, isObject, type JsonObject, type TextPart } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import { parseJson } from '../gateway-headers.ts'
import { assemble, disassemble } from '../stream/assemble.ts'
import { prefixStream } from '../stream/iterator.ts'
import { doneEvent, parseEvents, sliceEvents, writeEvent } from '../stream/split.ts'
import { denialAnswer, denialError } from './denial.ts'
import { checkEnvironment, runLater } from './environment.ts'
import type { CompiledHook, HookResult } from './hook.ts'
import { type CheckSubject, createCheckInput, createTextInput } from './input.ts'
import { runHooks } from './run-hooks.ts'
import { createTextWindow, type TextWindow } from './text-window.ts'

/** A stream held back to its end is not larger than this. */
const maxHeldBytes = 16 * 1_048_576

/** A denial in the middle of a stream, with what the checks found. */
export class StreamDenial extends GatewayError {
  readonly results: readonly HookResult[]

  constructor(results: readonly HookResult[]) {
    super('guardrail_denied', denialError('after').message)
    this.results = results
  }
}

type Subject = Omit<CheckSubject, 'response'>
type CheckedAnswer = Answer & { lateResults: HookResult[] }

export async function checkStream(
  exchange: Exchange,
  hooks: readonly CompiledHook[],
  answer: Answer,
  stream: AnswerStream,
  subject: Subject,
): Promise<Answer> {
  const own = { ...answer, lateResults: [] }
  const checked = chooseMode(exchange, hooks, own, stream, subject)
  try {
    const first = await checked.next()
    const head = first.done === true ? [] : [first.value]
    return { ...own, stream: prefixStream(head, checked) }
  } catch (error) {
    if (!(error instanceof StreamDenial)) throw error
    return denialAnswer('after', { ...answer, afterResults: error.results })
  }
}

function chooseMode(
  exchange: Exchange,
  hooks: readonly CompiledHook[],
  answer: CheckedAnswer,
  stream: AnswerStream,
  subject: Subject,
): AnswerStream {
  if (hooks.length === 0) return tellResults(exchange, answer, stream)
  const waited = hooks.filter((hook) => !hook.async)
  if (waited.some((hook) => hook.type === 'mutator'))
    return holdWhole(exchange, hooks, answer, stream, subject)
  const denying = waited.filter((hook) => hook.deny)
  const isWindowed = denying.every((hook) => hook.checks.every(({ prepared }) => prepared.windowed === true))
  if (!isWindowed) return holdWhole(exchange, hooks, answer, stream, subject)
  const rest = hooks.filter((hook) => !denying.includes(hook))
  return holdWindows(exchange, { denying, rest }, answer, stream, subject)
}

/** Nothing is checked; what the before phase found stands at the end. */
async function* tellResults(
  exchange: Exchange,
  answer: Answer,
  stream: AnswerStream,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const bytes of stream) {
    const events = bytes.includes('[DONE]') ? Buffer.concat(withoutDone(bytes)) : bytes
    if (events.length > 0) yield events
  }
  yield Buffer.concat([...resultsEvent(exchange, answer, []), doneEvent])
}

/** Everything is held to the end, checked as one body, and sent as it came unless a mutator changed it. */
async function* holdWhole(
  exchange: Exchange,
  hooks: readonly CompiledHook[],
  answer: CheckedAnswer,
  stream: AnswerStream,
  subject: Subject,
): AsyncGenerator<Buffer, void, undefined> {
  const held: Buffer[] = []
  let heldBytes = 0
  for await (const bytes of stream) {
    held.push(bytes)
    heldBytes += bytes.length
    if (heldBytes > maxHeldBytes) {
      throw new GatewayError('upstream_invalid_response', 'The answer is too large to be checked.')
    }
  }
  const bytes = Buffer.concat(held)
  const body = assemble(
    parseEvents(bytes)
      .map(({ data }) => parseJson(data))
      .filter(isObject),
  )
  const inputOf = (json: JsonObject) =>
    createCheckInput({ ...subject, response: { json, status: answer.status } })
  const outcome = await runHooks(hooks, body, inputOf, checkEnvironment(exchange), (run) =>
    runLater(exchange, run),
  )
  if (outcome.isDenied) throw new StreamDenial(outcome.results)
  answer.lateResults.push(...outcome.results)
  const events = outcome.body === body ? withoutDone(bytes) : disassemble(outcome.body).map(writeChunk)
  yield Buffer.concat([...events, ...resultsEvent(exchange, answer, outcome.results), doneEvent])
}

interface WindowHooks {
  denying: readonly CompiledHook[]
  /** Judged at the end, over the whole text. */
  rest: readonly CompiledHook[]
}

async function* holdWindows(
  exchange: Exchange,
  hooks: WindowHooks,
  answer: CheckedAnswer,
  stream: AnswerStream,
  subject: Subject,
): AsyncGenerator<Buffer, void, undefined> {
  const holds = hooks.denying.length > 0
  const window = createTextWindow(exchange.settings.streamWindow)
  let results: HookResult[] = []
  const check = async (parts: readonly TextPart[]) => {
    const found = await runText(exchange, hooks.denying, answer, subject, parts)
    results = found.map((result, index) => mergeResult(results[index], result))
    if (found.some(({ verdict }) => !verdict)) throw new StreamDenial(results)
  }
  for await (const bytes of stream) {
    for (const slice of sliceEvents(bytes)) addEvent(window, slice)
    if (!holds) yield window.releaseAll()
    else if (window.isFull()) {
      await check(window.parts())
      const released = window.release()
      if (released.length > 0) yield released
    }
  }
  // Over the whole text once more: a phrase that is longer than the windows shows only here.
  if (holds) await check(window.wholeParts())
  const rest = await runText(exchange, hooks.rest, answer, subject, window.wholeParts())
  const last = window.releaseAll()
  const verdicts = [...results, ...rest]
  answer.lateResults.push(...verdicts)
  if (last.length > 0 || verdicts.length > 0) {
    yield Buffer.concat([last, ...resultsEvent(exchange, answer, verdicts)])
  }
  yield doneEvent
}

function addEvent(window: TextWindow, slice: Buffer): void {
  const [event] = parseEvents(slice)
  if (event?.data === '[DONE]') return
  const chunk = event === undefined ? null : parseJson(event.data)
  window.add(slice, isObject(chunk) ? chunk : null)
}

async function runText(
  exchange: Exchange,
  hooks: readonly CompiledHook[],
  answer: Answer,
  subject: Subject,
  parts: readonly TextPart[],
): Promise<HookResult[]> {
  if (hooks.length === 0) return []
  const input = createTextInput({ ...subject, response: { json: null, status: answer.status }, parts })
  const environment = checkEnvironment(exchange)
  const outcome = await runHooks(
    hooks,
    {},
    () => input,
    environment,
    (run) => runLater(exchange, run),
  )
  return outcome.results
}

/** A hook's result over all windows: their time adds up, and the last word stays. */
function mergeResult(before: HookResult | undefined, now: HookResult): HookResult {
  return before === undefined ? now : { ...now, execution_time: before.execution_time + now.execution_time }
}

/** Whether the caller takes events beyond the compatible format. */
export const takesResults = ({ options, node }: Exchange): boolean =>
  (options?.strict ?? node?.strict ?? true) === false

/** The verdict as the stream's last event. */
function resultsEvent(exchange: Exchange, answer: Answer, results: readonly HookResult[]): Buffer[] {
  if (!takesResults(exchange) || (results.length === 0 && answer.beforeResults.length === 0)) return []
  const hookResults = { before_request_hooks: [...answer.beforeResults], after_request_hooks: [...results] }
  return [writeEvent(JSON.stringify({ choices: [], hook_results: hookResults }))]
}

const writeChunk = (chunk: JsonObject) => writeEvent(JSON.stringify(chunk))

const withoutDone = (bytes: Buffer) =>
  sliceEvents(bytes).filter((slice) => parseEvents(slice)[0]?.data !== '[DONE]')
