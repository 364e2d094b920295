/**
 * Runs one check within its time limit. A throw, a timeout or an invalid result is an error, not a verdict: it counts
 * as passed unless the hook fails closed, and is reported, counted and logged in either case. A change that cannot be
 * applied, such as a redaction, is a failure.
 */
import {
  type CheckFetch,
  type CheckInput,
  type CheckIo,
  isGatewayError,
  isObject,
  type JsonObject,
  type KeySets,
  type OutboundAnswer,
  type OutboundRequest,
  type ProviderFetchAnswer,
  type Transformation,
  type Verdict,
} from '@gateway/contract'
import {
  andThen,
  andThenOr,
  type CheckResult,
  type CompiledCheck,
  type CompiledHook,
  type HeldBuffer,
  isOverload,
  type MaybePromise,
} from '@gateway/flow'
import { type CheckEnvironment, checkTimeoutMs } from './check-io.ts'
import { rewriteFitting } from './texts/rewrite-texts.ts'

export interface CheckOutcome {
  result: CheckResult
  /** The changed body; null when it is unchanged. */
  body: JsonObject | null
}

/** One run of a check, on this body. */
interface CheckRun {
  compiled: CompiledCheck
  hook: CompiledHook
  body: JsonObject
  input: CheckInput
  environment: CheckEnvironment
  /** Milliseconds of the process's clock. */
  startedAt: number
}

interface RunCheckOptions {
  body: JsonObject
  input: CheckInput
  environment: CheckEnvironment
}

export function runCheck(
  compiled: CompiledCheck,
  hook: CompiledHook,
  { body, input, environment }: RunCheckOptions,
): MaybePromise<CheckOutcome> {
  const run: CheckRun = { compiled, hook, body, input, environment, startedAt: performance.now() }
  return andThenOr(
    () => andThen(decide(run), asVerdict),
    (verdict) => conclude(run, verdict),
    (error) => {
      // If the memory is full, the request is refused: a guard must not be skipped because other requests fill the
      // memory.
      if (isOverload(error)) throw error
      return fail(run, !hook.failClosed, { error, body: null })
    },
  )
}

/** A synchronous check needs no timeout; a held-back stream runs its checks many times. */
function decide({ compiled, input, environment }: CheckRun): MaybePromise<Verdict> {
  const io = new LimitedIo(compiled, environment)
  let running: ReturnType<CompiledCheck['prepared']['run']> | null = null
  try {
    running = compiled.prepared.run(input, io)
  } finally {
    if (!(running instanceof Promise)) io.clear()
  }
  return running instanceof Promise ? io.race(running).finally(() => io.clear()) : running
}

function conclude(run: CheckRun, given: Verdict): CheckOutcome {
  const { transformed } = given
  if (transformed === undefined) return finish(run, given, unchanged)
  try {
    const { body, unfit } = transform(run.body, transformed, {
      checkInput: run.input,
      environment: run.environment,
    })
    // The text that the guard should have removed is still present, so this is a failure, not just an error.
    return unfit === null
      ? finish(run, given, { error: null, body })
      : fail(run, false, { error: unfit, body })
  } catch (error) {
    return fail(run, run.hook.type === 'mutator' && !run.hook.failClosed, { error, body: null })
  }
}

function fail(
  run: CheckRun,
  verdict: boolean,
  { error, body }: { error: unknown; body: JsonObject | null },
): CheckOutcome {
  run.environment.reportError(run.compiled.id, error)
  return finish(run, { verdict }, { error: nameError(error), body })
}

interface CheckEnd {
  error: CheckResult['error']
  /** The changed body; null if the check changed nothing. */
  body: JsonObject | null
}

const unchanged: CheckEnd = { error: null, body: null }

function finish(
  { compiled: { id, prepared }, environment, startedAt }: CheckRun,
  { verdict, data = null }: Verdict,
  { error, body }: CheckEnd,
): CheckOutcome {
  const executionTime = performance.now() - startedAt
  const execution_time = Math.round(executionTime * 1000) / 1000
  const explanation = verdict || error !== null ? undefined : prepared.explanation
  const result: CheckResult = { id, verdict, data, error, execution_time, transformed: body !== null }
  if (explanation !== undefined) result.explanation = explanation
  environment.reportRun(result, executionTime)
  return { result, body }
}

/** The result of a check, which may be any value. */
function asVerdict(given: Verdict): Verdict {
  if (typeof given !== 'object' || given === null || typeof given.verdict !== 'boolean') {
    throw new Error('The check returned no verdict.')
  }
  return given
}

/** The kind of error, and its message if it is meant for users; messages of bugs or the system may contain paths. */
function nameError(error: unknown): { name: string; message: string } {
  if (isGatewayError(error)) return { name: error.code, message: error.message }
  if (!(error instanceof Error)) return { name: 'Error', message: 'The check failed.' }
  const isWritten = error.name === 'Error' && !('code' in error)
  return { name: error.name, message: isWritten ? error.message.slice(0, 300) : 'The check failed.' }
}

const flowing = new Error('The answer is already being streamed and cannot be changed.')

interface TransformOptions {
  checkInput: CheckInput
  environment: CheckEnvironment
}

/**
 * The body with the changes that a check requests, or null if they are impossible; and the reason why the change is
 * incomplete.
 * @throws for an
 * invalid body
 */
function transform(
  body: JsonObject,
  change: Transformation,
  { checkInput: { phase, response }, environment }: TransformOptions,
): { body: JsonObject | null; unfit: Error | null } {
  if (phase === 'after' && response?.json === null) return { body: null, unfit: flowing }
  if ('texts' in change) return rewriteFitting(body, change.texts)
  if (phase === 'before') environment.checkRequest(change.json)
  if (!isObject(change.json))
    throw new Error('The check changed the body to something that is not an object.')
  return { body: change.json, unfit: null }
}

/**
 * A running check's `io`, and its timeout. Created for every run, although most checks use nothing of it, so members
 * are created on first access. They are getters, so that destructuring works.
 */
class LimitedIo implements CheckIo {
  private readonly compiled: CompiledCheck
  private readonly environment: CheckEnvironment
  private controller: AbortController | null = null
  private timer: NodeJS.Timeout | undefined
  private held: HeldBuffer[] | null = null

  constructor(compiled: CompiledCheck, environment: CheckEnvironment) {
    this.compiled = compiled
    this.environment = environment
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.environment.signal, this.start().signal])
  }

  get now(): () => number {
    return Date.now
  }

  get settings(): Readonly<JsonObject> {
    return this.compiled.settings
  }

  get fetchJson(): (request: OutboundRequest) => Promise<OutboundAnswer> {
    return (request) =>
      this.environment.fetchJson({ timeoutMs: this.timeoutMs(), ...request }, this.signal, this.open())
  }

  get fetch(): (request: CheckFetch) => Promise<ProviderFetchAnswer> {
    return (request) =>
      this.environment.fetch({ timeoutMs: this.timeoutMs(), ...request }, this.signal, this.open())
  }

  get resolves(): (hostname: string) => Promise<boolean> {
    return (hostname) => this.environment.resolves(hostname)
  }

  get header(): string | null {
    const { headerName } = this.compiled
    return headerName === null ? null : this.environment.readHeader(headerName)
  }

  get chatComplete(): (provider: string, body: JsonObject) => Promise<JsonObject> {
    return (provider, body) => this.environment.chatComplete(provider, body, this.signal)
  }

  get keySets(): KeySets {
    return this.environment.keySets
  }

  get shared(): Map<string, unknown> {
    const { id } = this.compiled
    return this.environment.sharedOf(id.slice(0, id.indexOf('.')))
  }

  /** Resolves to the result, or rejects after the timeout. */
  race<T>(running: Promise<T>): Promise<T> {
    const { signal } = this.start()
    return new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      running.then(resolve, reject)
    })
  }

  /** Releases the timer and the buffered answers. */
  clear(): void {
    clearTimeout(this.timer)
    if (this.held !== null) for (const buffer of this.held) buffer.resize(0)
  }

  private open(): HeldBuffer {
    const buffer = this.environment.openBuffer()
    this.held ??= []
    this.held.push(buffer)
    return buffer
  }

  private timeoutMs(): number {
    return this.compiled.timeoutMs ?? checkTimeoutMs
  }

  private start(): AbortController {
    if (this.controller !== null) return this.controller
    const made = new AbortController()
    const timeoutMs = this.timeoutMs()
    this.timer = setTimeout(
      () => made.abort(new Error(`The check took longer than ${timeoutMs} ms.`)),
      timeoutMs,
    )
    this.controller = made
    return made
  }
}
