/**
 * Runs one check within its time limit. A throw, a hang or nonsense is an error, not a verdict: it counts as
 * passed unless the hook fails closed, and is reported, counted and logged in either case.
 */
import {
  type CheckInput,
  isGatewayError,
  type JsonObject,
  type OutboundAnswer,
  type OutboundRequest,
  type ProviderFetch,
  type ProviderFetchAnswer,
  type Transformation,
  type Verdict,
} from '../contract/index.ts'
import type { CheckResult, CompiledCheck, CompiledHook } from './hook.ts'

/** A check that needs longer says so in its own parameters and keeps to it. */
export const checkTimeoutMs = 5000
/** A parameter named `timeout` may ask for more, up to this. */
const longestTimeoutMs = 60_000

export interface CheckOutcome {
  result: CheckResult
  /** What it makes of the body that it looked at; null when it changed nothing. */
  body: JsonObject | null
}

export interface CheckEnvironment {
  signal: AbortSignal
  fetchJson(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer>
  fetch(request: ProviderFetch, signal: AbortSignal): Promise<ProviderFetchAnswer>
  chatComplete(provider: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** Of a plugin, for one request. */
  sharedOf(plugin: string): Map<string, unknown>
  /** Throws for a request that breaks the specification. */
  checkRequest(body: JsonObject): void
  /** Told of every check that gave no verdict. */
  reportError(id: string, error: unknown): void
  reportDuration(id: string, durationMs: number): void
}

/** @param apply makes the body that a transformation asks for; null where none can be made */
export async function runCheck(
  compiled: CompiledCheck,
  hook: CompiledHook,
  input: CheckInput,
  environment: CheckEnvironment,
  apply: (transformed: Transformation) => JsonObject | null,
): Promise<CheckOutcome> {
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
  try {
    const { verdict, data, transformed } = await decide(compiled, input, environment)
    return finish(verdict, { data: data ?? null }, transformed === undefined ? null : apply(transformed))
  } catch (error) {
    environment.reportError(compiled.id, error)
    return finish(!hook.failClosed, { error: nameError(error) }, null)
  }
}

async function decide(
  compiled: CompiledCheck,
  input: CheckInput,
  environment: CheckEnvironment,
): Promise<Verdict> {
  const timeoutMs = compiled.timeoutMs ?? checkTimeoutMs
  const limit = lazyLimit(environment.signal, timeoutMs)
  try {
    const running = compiled.prepared.run(input, {
      get signal() {
        return limit.signal()
      },
      now: Date.now,
      settings: compiled.settings,
      fetchJson: (request) => environment.fetchJson({ timeoutMs, ...request }, limit.signal()),
      fetch: (request) => environment.fetch({ timeoutMs, ...request }, limit.signal()),
      chatComplete: (provider, body) => environment.chatComplete(provider, body, limit.signal()),
      get shared() {
        return environment.sharedOf(compiled.id.slice(0, compiled.id.indexOf('.')))
      },
    })
    const verdict = running instanceof Promise ? await limit.race(running) : running
    if (typeof verdict !== 'object' || verdict === null || typeof verdict.verdict !== 'boolean') {
      throw new Error('The check gave no verdict.')
    }
    return verdict
  } finally {
    limit.clear()
  }
}

/** A clock and a signal that cost nothing to the checks that answer at once. */
function lazyLimit(caller: AbortSignal, timeoutMs: number) {
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
    signal: () => AbortSignal.any([caller, start().signal]),
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

/** The limit that a check's own `timeout` parameter asks for; null when it asks for none. */
export function timeoutOfParameters(parameters: Readonly<Record<string, unknown>>): number | null {
  const { timeout } = parameters
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
