/**
 * One secret's value, fetched on first use and cached: fresh for five minutes, renewed in the background before that,
 * and served for up to an hour while its manager is unavailable. Errors: `dependency_unavailable` when no usable value
 * is cached; `upstream_error` for a missing secret.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'

export interface RefreshingValueOptions {
  /** Fetches the secret; null if it does not exist. Reports its own failures. */
  load(): Promise<string | null>
  /** Milliseconds since the epoch. */
  now(): number
}

export interface RefreshingValue {
  get(): Promise<string>
  /** The cached value of any age; null if nothing is cached. */
  peek(): string | null
}

/** Maximum age of a value while its manager answers. */
const freshMs = 300_000
/** A use renews a value of this age in the background. */
const renewFromMs = 240_000
/** Absolute maximum age of a value. */
const staleServeMs = 3_600_000
/** The wait after a manager's failure, with and without a usable value. */
const restMs = 30_000
const shortRestMs = 2000
/** The maximum wait for a newer value if an older one is usable. */
const patienceMs = 2000
/** A missing secret is looked up again after this time. */
const absentMs = 10_000

interface Known {
  /** Null if the secret does not exist. */
  text: string | null
  fetchedAt: number
}

export function createRefreshingValue({ load, now }: RefreshingValueOptions): RefreshingValue {
  let known: Known | null = null
  let failure: { error: GatewayError; at: number } | null = null
  let flight: Promise<Known> | null = null
  let flightBegan = 0

  async function renew(): Promise<Known> {
    try {
      const text = await load()
      known = { text, fetchedAt: now() }
      failure = null
      return known
    } catch (error) {
      failure = { error: asUnavailable(error), at: now() }
      throw failure.error
    } finally {
      flight = null
    }
  }

  const start = (): Promise<Known> => {
    if (flight !== null) return flight
    flightBegan = now()
    flight = renew()
    return flight
  }

  const isResting = (ms: number) => failure !== null && now() - failure.at < ms

  /** A newer value if it arrives soon, otherwise the last one. */
  async function newerThan(last: string): Promise<string> {
    const newer = start().then(textOf)
    // Only one request waits for a manager that hangs.
    const patience = flightBegan + patienceMs - now()
    const timer = new AbortController()
    try {
      return await Promise.race([newer, after(patience, timer.signal).then(() => last)])
    } catch (error) {
      if (isGatewayError(error) && error.code === 'dependency_unavailable') return last
      throw error
    } finally {
      timer.abort()
      // Late results have already been cached or reported.
      newer.catch(() => undefined)
    }
  }

  async function first(): Promise<string> {
    if (flight === null && failure !== null && isResting(shortRestMs)) throw failure.error
    return textOf(await start())
  }

  return {
    async get() {
      if (known === null) return first()
      const { text, fetchedAt } = known
      const age = now() - fetchedAt
      if (text === null) return age < absentMs ? textOf(known) : first()
      if (age < renewFromMs) return text
      if (age >= staleServeMs) return first()
      if (isResting(restMs)) return text
      if (age >= freshMs) return newerThan(text)
      // Runs in the background; a failure is kept for the next use.
      start().catch(() => undefined)
      return text
    },
    peek: () => known?.text ?? null,
  }
}

function textOf({ text }: Known): string {
  if (text !== null) return text
  throw new GatewayError('upstream_error', "The secret of the provider's credential does not exist.")
}

/** Failures to reach a manager are never errors of the caller; internal errors stay internal. */
function asUnavailable(error: unknown): GatewayError {
  if (isGatewayError(error) && error.code === 'internal_error') return error
  const isOwn = isGatewayError(error) && error.code === 'dependency_unavailable'
  const message = isOwn ? error.message : 'A secret manager is unavailable.'
  return new GatewayError('dependency_unavailable', message, {
    cause: error,
    headers: { 'retry-after': '5' },
  })
}

function after(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref?.()
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}
