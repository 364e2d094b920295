/** Mixed traffic: requests, behaviour of callers, and results. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'

/** `clean` calls are read to their end; their cost is compared with the journal. */
type Kind = 'chat' | 'stream' | 'embedding' | 'cached' | 'fault' | 'disconnect'

export interface Sent {
  kind: Kind
  /** The user in the provider's journal. */
  user: string
  /** `x-request-id`; null when no head of an answer came. */
  requestId: string | null
  /** 0 without an answer. */
  status: number
  /** Whether the answer was read to its end. */
  isWhole: boolean
}

export interface Traffic {
  sent: Sent[]
  /** The secrets that calls use now. */
  keys: { clean: string; rough: string }
  /** Many concurrent callers who disconnect in mid-answer. */
  storm(callers: number): Promise<void>
  /** Sends at a rate, as far as the replicas keep up, until it is stopped; then waits for the calls in flight. */
  run(rate: number, stop: AbortSignal): Promise<void>
}

const shares: readonly [Kind, number][] = [
  ['chat', 35],
  ['stream', 25],
  ['embedding', 10],
  ['cached', 15],
  ['fault', 10],
  ['disconnect', 5],
]

const configs: Record<Kind, string> = {
  chat: 'plain',
  stream: 'plain',
  embedding: 'plain',
  cached: 'cached',
  fault: 'rough',
  disconnect: 'plain',
}

/** Longer than any answer of the provider: faults occur at every byte, and after the last one. */
const mostFaultBytes = 1800
const callLimitMs = 60_000
/**
 * The maximum number of calls in flight: on a machine too slow for the rate, requests are skipped instead of piling up.
 */
const mostUnderWay = 200
/** Questions that are repeated. */
const repeated = 50

export function createTraffic({ nodes }: Cluster, keys: Traffic['keys']): Traffic {
  const sent: Sent[] = []
  let count = 0

  function pick(): Kind {
    let rest = Math.random() * 100
    for (const [kind, share] of shares) {
      rest -= share
      if (rest < 0) return kind
    }
    return 'chat'
  }

  async function call(kind: Kind): Promise<void> {
    count += 1
    const isRough = kind === 'fault' || kind === 'disconnect'
    const isStream = kind === 'stream' || kind === 'disconnect' || (kind === 'fault' && count % 2 === 0)
    const fault = kind === 'fault' ? ` fault:${count % mostFaultBytes}` : ''
    const record: Sent = {
      kind,
      user: kind === 'cached' ? `cached-${count % repeated}` : `${kind}-${count}${fault}`,
      requestId: null,
      status: 0,
      isWhole: false,
    }
    sent.push(record)
    const leaving = new AbortController()
    const node = nodes[count % nodes.length]
    const path = kind === 'embedding' ? 'embeddings' : 'chat/completions'
    try {
      const response = await fetch(`${node?.url}/v1/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': isRough ? keys.rough : keys.clean,
          'x-gateway-config': configs[kind],
        },
        body: JSON.stringify(bodyOf(kind, { user: record.user, stream: isStream, count })),
        signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(callLimitMs)]),
      })
      record.status = response.status
      record.requestId = response.headers.get('x-request-id')
      if (kind === 'disconnect') {
        await response.body?.getReader().read()
        leaving.abort()
        return
      }
      await response.arrayBuffer()
      record.isWhole = true
    } catch {
      // Replicas restart and stores are cut: failing calls are expected, and recorded.
      record.isWhole = false
    }
  }

  return {
    sent,
    keys,
    async storm(callers) {
      await Promise.all(Array.from({ length: callers }, () => call('disconnect')))
    },
    async run(rate, stop) {
      const underWay = new Set<Promise<void>>()
      const startedAt = performance.now()
      let begun = 0
      while (!stop.aborted) {
        const due = ((performance.now() - startedAt) / 1000) * rate
        for (; begun < due && underWay.size < mostUnderWay; begun += 1) {
          const one: Promise<void> = call(pick()).finally(() => underWay.delete(one))
          underWay.add(one)
        }
        // Requests that could not be sent in time are skipped.
        begun = Math.max(begun, Math.floor(due))
        await wait(20)
      }
      await Promise.all(underWay)
    },
  }
}

interface BodyOptions {
  user: string
  stream: boolean
  count: number
}

function bodyOf(kind: Kind, { user, stream, count }: BodyOptions): Record<string, unknown> {
  if (kind === 'embedding') return { model: 'soak', input: `text ${count}`, user }
  const isRepeated = kind === 'cached'
  return {
    model: 'soak',
    max_tokens: 20,
    messages: [{ role: 'user', content: isRepeated ? `question ${count % repeated}` : `question ${count}` }],
    user,
    ...(stream ? { stream: true } : {}),
  }
}
