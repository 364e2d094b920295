/**
 * The rate limits of a provider: requests and tokens in fixed windows, reported in OpenAI's headers. Time is the test's.
 */
export interface ProviderLimits {
  requests: number
  tokens: number
  windowMs: number
}

interface Admission {
  isAdmitted: boolean
  headers: Record<string, string>
}

export interface LimitedProvider {
  readonly limits: ProviderLimits
  /** Calls so far: those that were answered, and those that were refused. */
  readonly counts: { answered: number; refused: number }
  /** The share of each window that was used, of the limit that came nearer to its end. */
  usedShares(): number[]
  admit(tokens: number, nowMs: number): Admission
}

export function limitProvider(limits: ProviderLimits, startMs: number): LimitedProvider {
  const counts = { answered: 0, refused: 0 }
  const past: number[] = []
  let endsAt = startMs + limits.windowMs
  let used = { requests: 0, tokens: 0 }
  const share = () => Math.max(used.requests / limits.requests, used.tokens / limits.tokens)

  function pass(nowMs: number): void {
    while (nowMs >= endsAt) {
      past.push(share())
      used = { requests: 0, tokens: 0 }
      endsAt += limits.windowMs
    }
  }

  return {
    limits,
    counts,
    usedShares: () => past,
    admit(tokens, nowMs) {
      pass(nowMs)
      const isAdmitted = used.requests < limits.requests && used.tokens + tokens <= limits.tokens
      if (isAdmitted) {
        counts.answered += 1
        used = { requests: used.requests + 1, tokens: used.tokens + tokens }
      } else counts.refused += 1
      const reset = `${endsAt - nowMs}ms`
      return {
        isAdmitted,
        headers: {
          'x-ratelimit-limit-requests': String(limits.requests),
          'x-ratelimit-remaining-requests': String(limits.requests - used.requests),
          'x-ratelimit-reset-requests': reset,
          'x-ratelimit-limit-tokens': String(limits.tokens),
          'x-ratelimit-remaining-tokens': String(limits.tokens - used.tokens),
          'x-ratelimit-reset-tokens': reset,
          ...(isAdmitted ? {} : { 'retry-after-ms': String(endsAt - nowMs) }),
        },
      }
    },
  }
}
