/**
 * Runs one check within its time limit. A throw, a hang or nonsense is an error, not a verdict: it counts as
 * passed unless the hook fails closed, and is reported, counted and logged in either case. A change that cannot be made,
 * such as a redaction, is a failure.
 */
import {
  type CheckFetch,
  type CheckInput,
  isGatewayError,
  type JsonObject,
  type OutboundAnswer,
  type OutboundRequest,
  type ProviderFetchAnswer,
  type Transformation,
  type Verdict,
} from '../contract/index.ts'
import type { CheckResult, CompiledCheck, CompiledHook } from './hook.ts'

/** A check that needs longer says so in its own parameters and keeps to it. */
export const checkTimeoutMs = 5000
/** A parameter named `timeout` or `timeoutMs` may ask for more, up to this. */
const longestTimeoutMs = 60_000

export interface CheckOutcome {
  result: CheckResult
  /** What it makes of the body that it looked at; null when it changed nothing. */
  body: JsonObject | null
}

export interface CheckEnvironment {
  signal: AbortSignal
  fetchJson(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer>
  fetch(request: CheckFetch, signal: AbortSignal): Promise<ProviderFetchAnswer>
  resolves(hostname: string): Promise<boolean>
  /** An inbound header as it came; null when it is absent or nothing that a check may have. */
  readHeader(name: string): string | null
  chatComplete(provider: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** Of a plugin, for one request. */
  sharedOf(plugin: string): Map<string, unknown>
  /** Throws for a request that breaks the specification. */
  checkRequest(body: JsonObject): void
  /** Told of every check that gave no verdict. */
  reportError(id: string, error: unknown): void
  reportDuration(id: string, durationMs: number): void
}

/** A body as a transformation asks for it. */
export interface Applied {
  /** Null where none can be made. */
  body: JsonObject | null
  /** Why it is not all that was asked for; null when it is. */
  unfit: Error | null
}

/**
 * What answers at once is told at once: a stream that is held back runs its checks many times.
 * @param apply makes the body that a transformation asks for; throws where it asks for what cannot be
 */
export function runCheck(
  compiled: CompiledCheck,
  hook: CompiledHook,
  input: CheckInput,
  environment: CheckEnvironment,
  apply: (transformed: Transformation) => Applied,
): CheckOutcome | Promise<CheckOutcome> {
  const startedAt = performance.now()
  const finish = (verdict: boolean, rest: Partial<CheckResult>, body: JsonObject | null) => {
    const executionTime = performance.now() - startedAt
    environment.reportDuration(compiled.id, executionTime)
    const result: CheckResult = {
      id: compiled.id,
      verdict,
      data: null,
      error: null,
      execution_time: Math.round(executionTime * 1000) / 1000,
      transformed: body !== null,
      ...rest,
    }
    return { result, body }
  }
  const fail = (verdict: boolean, error: unknown, body: JsonObject | null) => {
    environment.reportError(compiled.id, error)
    return finish(verdict, { error: nameError(error) }, body)
  }
  const conclude = ({ verdict, data, transformed }: Verdict) => {
    if (transformed === undefined) return finish(verdict, { data: data ?? null }, null)
    try {
      const { body, unfit } = apply(transformed)
      // What a guard wanted to be gone is still there: that is no error in passing.
      return unfit === null ? finish(verdict, { data: data ?? null }, body) : fail(false, unfit, body)
    } catch (error) {
      return fail(hook.type === 'mutator' && !hook.failClosed, error, null)
    }
  }
  const giveUp = (error: unknown) => fail(!hook.failClosed, error, null)
  let decided: Verdict | Promise<Verdict>
  try {
    decided = decide(compiled, input, environment)
  } catch (error) {
    return giveUp(error)
  }
  return decided instanceof Promise ? decided.then(conclude, giveUp) : conclude(decided)
}

function decide(
  compiled: CompiledCheck,
  input: CheckInput,
  environment: CheckEnvironment,
): Verdict | Promise<Verdict> {
  const timeoutMs = compiled.timeoutMs ?? checkTimeoutMs
  const limit = lazyLimit(environment, timeoutMs)
  let isRunning = false
  try {
    const running = compiled.prepared.run(input, {
      get signal() {
        return limit.signal()
      },
      now: Date.now,
      settings: compiled.settings,
      fetchJson: (request) => environment.fetchJson({ timeoutMs, ...request }, limit.signal()),
      fetch: (request) => environment.fetch({ timeoutMs, ...request }, limit.signal()),
      resolves: (hostname) => environment.resolves(hostname),
      get header() {
        return compiled.headerName === null ? null : environment.readHeader(compiled.headerName)
      },
      chatComplete: (provider, body) => environment.chatComplete(provider, body, limit.signal()),
      get shared() {
        return environment.sharedOf(compiled.id.slice(0, compiled.id.indexOf('.')))
      },
    })
    if (!(running instanceof Promise)) return asVerdict(running)
    isRunning = true
    return limit.race(running).then(asVerdict).finally(limit.clear)
  } finally {
    if (!isRunning) limit.clear()
  }
}

/** What a check gave, which may be anything. */
function asVerdict(given: Verdict): Verdict {
  if (typeof given !== 'object' || given === null || typeof given.verdict !== 'boolean') {
    throw new Error('The check gave no verdict.')
  }
  return given
}

/** A clock and a signal that cost nothing to the checks that answer at once. */
function lazyLimit(environment: Pick<CheckEnvironment, 'signal'>, timeoutMs: number) {
  let controller: AbortController | null = null
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    if (controller !== null) return controller
    const made = new AbortController()
    timer = setTimeout(() => made.abort(new Error(`The check took longer than ${timeoutMs} ms.`)), timeoutMs)
    controller = made
    return made
  }
  return {
    signal: () => AbortSignal.any([environment.signal, start().signal]),
    race<T>(running: Promise<T>): Promise<T> {
      const { signal } = start()
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        running.then(resolve, reject)
      })
    },
    clear: () => clearTimeout(timer),
  }
}

/** The limit that a check's own `timeout` (or `timeoutMs`) asks for; null when it asks for none. */
export function timeoutOfParameters(parameters: Readonly<Record<string, unknown>>): number | null {
  const { timeoutMs, timeout = timeoutMs } = parameters
  return typeof timeout === 'number'
    ? Math.min(Math.max(timeout + 100, checkTimeoutMs), longestTimeoutMs)
    : null
}

/** The kind of error, and its message where it was written to be read; that of a slip or of the system may hold a path. */
function nameError(error: unknown): { name: string; message: string } {
  if (isGatewayError(error)) return { name: error.code, message: error.message }
  if (!(error instanceof Error)) return { name: 'Error', message: 'The check failed.' }
  const isWritten = error.name === 'Error' && !('code' in error)
  return { name: error.name, message: isWritten ? error.message.slice(0, 300) : 'The check failed.' }
}
