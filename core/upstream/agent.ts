/**
 * The pooled client of inference calls: HTTP/1.1 over undici, through the host guard, without following redirects.
 * Errors: `host_not_allowed`, `upstream_unreachable`, `upstream_invalid_response`, `request_timeout`, `invalid_header`
 * (values that HTTP does not allow), `shutting_down`; the reason of a cancellation.
 */
import { Readable } from 'node:stream'
import { GatewayError } from '@gateway/contract'
import type { UpstreamCalls } from '@gateway/flow'
import { Pool } from 'undici'
import { createConnector } from './connector.ts'
import { type HostGuard, hostNotAllowed } from './host-guard.ts'
import { Transfer } from './transfer.ts'

export interface UpstreamAgentOptions {
  guard: HostGuard
  /** Connections to one origin; further requests wait. Default: unlimited. */
  connections?: number | undefined
  /** Origins whose connections are kept. Default 512. */
  maxOrigins?: number | undefined
  /** The connection timeout. Default 10000. */
  connectTimeoutMs?: number | undefined
  /** The maximum wait for the headers of an answer, when no `request_timeout` is shorter. Default 600000. */
  headersTimeoutMs?: number | undefined
  /** The maximum silence within a body, in milliseconds; streams have their own shorter limit. Default 600000. */
  bodyTimeoutMs?: number | undefined
  /**
   * The time for which an idle connection is kept if the upstream does not specify it. Default 4000, because many
   * servers close after 5 s.
   */
  keepAliveMs?: number | undefined
}

export interface UpstreamAgent extends UpstreamCalls {
  /** Refuses new calls (`shutting_down`); resolves when calls in flight are done. */
  close(): Promise<void>
}

export function createUpstreamAgent(options: UpstreamAgentOptions): UpstreamAgent {
  const { guard } = options
  const origins = createOrigins(options.maxOrigins ?? 512, {
    connect: createConnector(guard, options.connectTimeoutMs ?? 10_000),
    connections: options.connections ?? null,
    headersTimeout: options.headersTimeoutMs ?? 600_000,
    keepAliveTimeout: options.keepAliveMs ?? 4000,
    bodyTimeout: options.bodyTimeoutMs ?? 600_000,
    pipelining: 1,
  })
  let isClosed = false

  const poolFor = ({ url, origin, hasCredential }: Address): Pool => {
    const known = origins.find(origin)
    if (known !== undefined && !hasCredential) return known
    const reason = guard.checkUrl(url)
    if (reason !== null) throw hostNotAllowed(reason)
    return origins.add(origin)
  }

  return {
    send(request, cancellation) {
      return new Promise((resolve, reject) => {
        if (cancellation.aborted) throw cancellation.reason
        if (isClosed) throw new GatewayError('shutting_down', 'The gateway is shutting down.')
        const address = addressOf(request.url)
        const pool = poolFor(address)
        const { method, headers, stream } = request
        const body = stream === undefined ? request.body : Readable.from(stream)
        pool.dispatch(
          { path: address.path, method, headers, body },
          new Transfer(resolve, reject, cancellation),
        )
      })
    },
    async close() {
      isClosed = true
      await origins.close()
    },
  }
}

/** The members of a URL that every call needs; its getters would build them again. */
interface Address {
  url: URL
  origin: string
  path: string
  hasCredential: boolean
}

/** Parsing a URL costs more than a lookup, and a target's URL is the same for every call. */
const addresses = new Map<string, Address>()
const maxAddresses = 1000

function addressOf(text: string): Address {
  const known = addresses.get(text)
  if (known !== undefined) return known
  if (!URL.canParse(text)) throw hostNotAllowed('is not a URL')
  const url = new URL(text)
  const { origin, pathname, search, username, password } = url
  const address = { url, origin, path: pathname + search, hasCredential: username !== '' || password !== '' }
  if (addresses.size >= maxAddresses) addresses.clear()
  addresses.set(text, address)
  return address
}

/**
 * One connection pool per origin, with a limited number of origins. At its limit undici's own Agent refuses a new
 * origin; here the pool that has been idle longest is closed, and if none is idle the limit is exceeded: the callers
 * limit the number of calls in flight.
 */
interface Origins {
  /** The pool of a known origin; undefined for others. */
  find(origin: string): Pool | undefined
  /** Adds an origin. */
  add(origin: string): Pool
  /** Resolves when the calls in flight are done. */
  close(): Promise<void>
}

interface Entry {
  pool: Pool
  /** Incremented at each use. */
  usedAt: number
}

function createOrigins(maxOrigins: number, options: Pool.Options): Origins {
  const entries = new Map<string, Entry>()
  let clock = 0

  const oldestIdle = (): string | null => {
    let oldest: string | null = null
    let oldestUse = Number.POSITIVE_INFINITY
    for (const [origin, { pool, usedAt }] of entries) {
      if (usedAt >= oldestUse || pool.stats.size > 0) continue
      oldest = origin
      oldestUse = usedAt
    }
    return oldest
  }

  const makeRoom = () => {
    while (entries.size >= maxOrigins) {
      const origin = oldestIdle()
      if (origin === null) return
      void entries.get(origin)?.pool.destroy()
      entries.delete(origin)
    }
  }

  return {
    find(origin) {
      const entry = entries.get(origin)
      if (entry === undefined) return undefined
      clock += 1
      entry.usedAt = clock
      return entry.pool
    },
    add(origin) {
      makeRoom()
      const pool = new Pool(origin, options)
      clock += 1
      entries.set(origin, { pool, usedAt: clock })
      return pool
    },
    async close() {
      const pools = [...entries.values()].map(({ pool }) => pool)
      entries.clear()
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}
