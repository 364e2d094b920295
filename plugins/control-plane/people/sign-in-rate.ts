/**
 * Rate limit for failed sign-ins: 20 per minute for an address and an account, and 100 per minute for an address across
 * all accounts. Successful attempts do not count. Failures are counted across processes; a process learns the others'
 * counts when it records its own next failure. Errors: `rate_limit_exceeded`.
 */
import { GatewayError, isGatewayError, type ServiceContext } from '@gateway/contract'
import { sha256 } from './session-data.ts'

const maxOfPair = 20
const maxOfAddress = 100
const windowMs = 60_000
/** The largest number of keys that this process remembers. */
const maxKnown = 10_000

/** Attempts for one key that this process has recorded. */
interface Known {
  failed: number
  endsAt: number
  /** The number of attempts that may still fail. */
  pending: number
}

interface Tries {
  /** The client and the account of an attempt. */
  address: string
  account: string
}

type Context = ServiceContext<'now' | 'shared'>

export interface FailureCounter {
  /** Runs an attempt unless too many have failed. An attempt that throws a 401 has failed. */
  run<Result>(tries: Tries, attempt: () => Promise<Result>): Promise<Result>
}

export function createFailureCounter(context: Context): FailureCounter {
  const known = new Map<string, Known>()

  function entryOf(key: string): Known {
    const nowMs = context.now()
    const present = known.get(key)
    if (present !== undefined && (present.endsAt > nowMs || present.pending > 0)) {
      if (present.endsAt <= nowMs) Object.assign(present, { failed: 0, endsAt: nowMs + windowMs })
      return present
    }
    if (known.size >= maxKnown) forgetIdle(nowMs)
    const made = { failed: 0, endsAt: nowMs + windowMs, pending: 0 }
    known.set(key, made)
    return made
  }

  /** Removes only entries without a failure: otherwise filling the table would erase the failures of others. */
  function forgetIdle(nowMs: number): void {
    for (const [key, { failed, endsAt, pending }] of known) {
      if (pending === 0 && (endsAt <= nowMs || failed === 0)) known.delete(key)
    }
    for (const key of known.keys()) {
      if (known.size < maxKnown) return
      if (known.get(key)?.pending === 0) known.delete(key)
    }
  }

  async function noteFailure(key: string): Promise<void> {
    const total = await context.shared.increment(`sign-in:${key}`, windowMs)
    const entry = entryOf(key)
    entry.failed = Math.max(entry.failed + 1, total)
  }

  return {
    async run({ address, account }, attempt) {
      const bounds: [key: string, most: number][] = [
        [sha256(`${address}\n${account}`), maxOfPair],
        [sha256(address), maxOfAddress],
      ]
      for (const [key, most] of bounds) {
        const { failed, pending, endsAt } = entryOf(key)
        if (failed + pending >= most) throw tooMany(most, endsAt - context.now())
      }
      const entries = bounds.map(([key]) => entryOf(key))
      for (const entry of entries) entry.pending += 1
      try {
        return await attempt()
      } catch (error) {
        // A request for the second factor means that the first one was correct.
        if (isGatewayError(error) && error.status === 401 && error.code !== 'totp_required') {
          for (const [key] of bounds) await noteFailure(key)
        }
        throw error
      } finally {
        for (const entry of entries) entry.pending -= 1
      }
    },
  }
}

const tooMany = (most: number, waitMs: number) =>
  new GatewayError(
    'rate_limit_exceeded',
    `Too many failed sign-ins: at most ${most} per minute are allowed. Try again in a minute.`,
    {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    },
  )

const counters = new WeakMap<object, FailureCounter>()

/** One counter per gateway, shared by all routes. */
export function failureCounterOf(context: ServiceContext<'now' | 'shared'>): FailureCounter {
  const present = counters.get(context.shared)
  if (present !== undefined) return present
  const made = createFailureCounter(context)
  counters.set(context.shared, made)
  return made
}
