/**
 * The connection to Redis: one client for commands, one for subscriptions, both reconnecting in the background.
 * https://github.com/redis/node-redis/blob/master/docs/client-configuration.md Errors: `invalid_config` for an invalid
 * URL, `dependency_unavailable` for everything later.
 */
import { getEventListeners } from 'node:events'
import { isIP } from 'node:net'
import { GatewayError, isGatewayError, systemReason } from '@gateway/contract'
import { createSilenceWatch, silenceLimitMs } from '@gateway/domain'
import { createClient } from '@keyv/redis'
import { createRest } from './rest.ts'

export type RedisClient = ReturnType<typeof createClient>

export interface Connection {
  client: RedisClient
  subscriber: RedisClient
  /**
   * Runs a command and rejects if it is not answered in time; after several such timeouts, rejects immediately. Errors:
   * `dependency_unavailable`.
   */
  ask<T>(command: () => Promise<T>, deadlineMs?: number): Promise<T>
  /** Runs a command and waits for its answer as long as the connection is open. Errors: `dependency_unavailable`. */
  wait<T>(command: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The prefix of all keys and channels. */
export const keyPrefix = 'gateway'

/** The deadline for commands that a request may be waiting for. */
export const promptDeadlineMs = 50
const defaultDeadlineMs = 1000
/** A timer that is this late shows that the process was busy, for at most that long. */
const busyMs = 5
const longestBusyMs = 5000
/** The same applies to an event loop that was almost never idle. */
const busyShare = 0.5
const longestReconnectMs = 1000
const pingIntervalMs = 3000
/** The most commands in flight; further ones are refused immediately. */
export const mostCommands = 10_000

/**
 * Connects. Also resolves if the server cannot be reached yet: a second after it refused the connection, or did not
 * answer.
 */
export async function connect(url: string): Promise<Connection> {
  const end = new AbortController()
  const [client, subscriber] = [openClient(url, end), openClient(url, end)]
  const rest = createRest(() => send(() => client.ping(), promptDeadlineMs))
  let lastFault: unknown
  // A connection that does not answer is closed and opened again.
  const watch = createSilenceWatch(() => {
    if (!client.isReady || !client.isOpen) return
    client.destroy()
    start(client)
  })

  function start(one: RedisClient): void {
    // Rejects only when it is closed; until then it reconnects.
    one.connect().catch(remember)
  }
  function remember(fault: unknown): void {
    lastFault = fault
  }
  for (const one of [client, subscriber]) one.on('error', remember)
  client.on('ready', () => rest.end())

  /** Sends a command. A late answer still shows that the connection works. */
  function begin<T>(command: () => Promise<T>): Promise<T> {
    if (!client.isReady) throw unavailable('Redis cannot be reached.', lastFault)
    const answered = watch.asked()
    const answer = command()
    answer.then(answered, answered)
    return answer
  }

  async function wait<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await begin(command)
    } catch (error) {
      throw isGatewayError(error) ? error : unavailable('Redis answered a command with an error.', error)
    }
  }

  async function send<T>(command: () => Promise<T>, deadlineMs: number): Promise<T> {
    const answer = begin(command)
    const sentAt = Date.now()
    let timer: NodeJS.Timeout | undefined
    let immediate: NodeJS.Immediate | undefined
    const late = new Promise<never>((_, reject) => {
      const isLate = () => {
        reject(unavailable('Redis did not answer in time.'))
        rest.missed(sentAt)
      }
      const begunAt = Date.now()
      const wait = () => {
        const from = Date.now()
        const use = performance.eventLoopUtilization()
        timer = setTimeout(() => {
          const now = Date.now()
          // If this process was busy, the command may have been sent only now: the server gets the full time again.
          const { utilization } = performance.eventLoopUtilization(use)
          const isBusy = now - from > deadlineMs + busyMs || utilization > busyShare
          const wasBusy = isBusy && now - begunAt < longestBusyMs
          // Data that has arrived is read before the immediate runs.
          if (wasBusy) wait()
          else immediate = setImmediate(isLate)
        }, deadlineMs)
      }
      wait()
    })
    try {
      const value = await Promise.race([answer, late])
      rest.answered()
      return value
    } catch (error) {
      throw isGatewayError(error) ? error : unavailable('Redis answered a command with an error.', error)
    } finally {
      clearTimeout(timer)
      clearImmediate(immediate)
    }
  }

  async function ask<T>(command: () => Promise<T>, deadlineMs = defaultDeadlineMs): Promise<T> {
    if (rest.isResting())
      throw unavailable('Redis is not answering in time. The gateway retries the connection every second.')
    return send(command, deadlineMs)
  }

  async function close(): Promise<void> {
    const done = Promise.all([client, subscriber].filter((one) => one.isReady).map((one) => one.close()))
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, defaultDeadlineMs).unref())])
    for (const one of [client, subscriber]) if (one.isOpen) one.destroy()
    // Sockets that are still connecting have no owner yet.
    end.abort()
  }

  const ready = Promise.all([client, subscriber].map(readyOrRefused))
  start(client)
  start(subscriber)
  await ready
  return { client, subscriber, ask, wait, close }
}

/**
 * Waits until a client is connected. A process without Redis counts limits by itself, so one on a busy machine gives
 * Redis more time, and a server that refuses connections has a second to start.
 */
function readyOrRefused(client: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    let refused: NodeJS.Timeout | undefined
    const onRefused = () => {
      refused ??= setTimeout(end, defaultDeadlineMs)
    }
    const answered = createSilenceWatch(end).asked()
    function end(): void {
      clearTimeout(refused)
      answered()
      client.off('ready', end).off('error', onRefused)
      resolve()
    }
    client.once('ready', end).on('error', onRefused)
  })
}

/** @param end closes its sockets, including those that are connecting */
function openClient(url: string, end: AbortController): RedisClient {
  // One controller per client: Node leaves a listener for every socket, and this one can be released with its client.
  const own = new AbortController()
  end.signal.addEventListener('abort', () => own.abort(), { once: true })
  const client = createClient(readUrl(url, own.signal))
  client.on('reconnecting', () => {
    for (const listener of getEventListeners(own.signal, 'abort') as (() => void)[])
      own.signal.removeEventListener('abort', listener)
  })
  return client
}

function unavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('dependency_unavailable', message, { cause, storeFault: describeFault(cause) })
}

/** The client's options. The URL itself is not passed on: it may contain a password, and errors print their options. */
function readUrl(text: string, signal: AbortSignal): NonNullable<Parameters<typeof createClient>[0]> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const database = Number(url?.pathname.slice(1) || 0)
  if (
    url === undefined ||
    !/^rediss?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !Number.isInteger(database)
  ) {
    throw new GatewayError(
      'invalid_config',
      'The Redis URL is invalid. Use redis://user:password@host:port/database, or rediss:// with TLS.',
    )
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = {
    host,
    port: Number(url.port || 6379),
    signal,
    connectTimeout: silenceLimitMs,
    socketTimeout: pingIntervalMs + silenceLimitMs,
    reconnectStrategy: (retries: number) =>
      signal.aborted ? new Error('closed') : Math.min(50 * 2 ** retries, longestReconnectMs),
  }
  return {
    socket:
      url.protocol === 'rediss:'
        ? { ...socket, tls: true, ...(isIP(host) ? {} : { servername: host }) }
        : socket,
    ...(url.username ? { username: decode(url.username) } : {}),
    ...(url.password ? { password: decode(url.password) } : {}),
    database,
    pingInterval: pingIntervalMs,
    commandsQueueMaxLength: mostCommands,
    // Commands that cannot be sent now are refused immediately: requests do not wait for an unavailable server.
    disableOfflineQueue: true,
  }
}

/** A percent sign that starts no valid escape is kept, as in a password that was pasted without escaping. */
function decode(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
  )
}

/** A failed system call, or the code of an error reply, such as `OOM`: the rest of a reply may quote the command. */
function describeFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return systemReason(error) ?? /^[A-Z]{2,}(?= |$)/.exec(error.message)?.[0] ?? error.name
}
