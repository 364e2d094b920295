/**
 * The connection to Redis: one client for commands, one for subscriptions, both reconnecting in the background.
 * https://github.com/redis/node-redis/blob/master/docs/client-configuration.md
 * Errors: `invalid_config` for a URL that cannot be read, `dependency_unavailable` for everything later.
 */
import { getEventListeners } from 'node:events'
import { isIP } from 'node:net'
import { GatewayError, isGatewayError } from '@gateway/contract'
import { createSilenceWatch, silenceLimitMs } from '@gateway/core/domain'
import { createClient } from '@keyv/redis'
import { createRest } from './rest.ts'

export type RedisClient = ReturnType<typeof createClient>

export interface Connection {
  client: RedisClient
  subscriber: RedisClient
  /**
   * Runs a command and rejects when it has not been answered in time; at once after several that were not.
   * Errors: `dependency_unavailable`.
   */
  ask<T>(command: () => Promise<T>, deadlineMs?: number): Promise<T>
  /** Runs a command and waits for its answer as long as the connection stands. Errors: `dependency_unavailable`. */
  wait<T>(command: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The prefix of all keys and channels. */
export const keyPrefix = 'gateway'

/** Where somebody's request may wait for the answer. */
export const promptDeadlineMs = 50
const defaultDeadlineMs = 1000
/** A timer that is late by so much tells of a process that was busy, for so long at the most. */
const busyMs = 5
const longestBusyMs = 5000
/** As does an event loop that had hardly a pause. */
const busyShare = 0.5
const longestReconnectMs = 1000
const pingIntervalMs = 3000
/** Commands under way; more are refused at once. */
export const mostCommands = 10_000

/** Connects; resolves also when the server cannot be reached yet: a second after it refused, or after a silence. */
export async function connect(url: string): Promise<Connection> {
  const end = new AbortController()
  const [client, subscriber] = [openClient(url, end), openClient(url, end)]
  const rest = createRest(() => send(() => client.ping(), promptDeadlineMs))
  let lastFault: unknown
  // A connection that is silent although it was asked is dropped and made anew.
  const watch = createSilenceWatch(() => {
    if (!client.isReady || !client.isOpen) return
    client.destroy()
    start(client)
  })

  function start(one: RedisClient): void {
    // It rejects only when it is ended; until then it tries again.
    one.connect().catch(remember)
  }
  function remember(fault: unknown): void {
    lastFault = fault
  }
  for (const one of [client, subscriber]) one.on('error', remember)
  client.on('ready', () => rest.end())

  /** Begins a command. One that is answered late shows that the connection is alive all the same. */
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
      throw isGatewayError(error) ? error : unavailable('Redis did not carry out a command.', error)
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
          // If this process was busy, the command may have been sent only now: the server gets its time again.
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
      throw isGatewayError(error) ? error : unavailable('Redis did not carry out a command.', error)
    } finally {
      clearTimeout(timer)
      clearImmediate(immediate)
    }
  }

  async function ask<T>(command: () => Promise<T>, deadlineMs = defaultDeadlineMs): Promise<T> {
    if (rest.isResting()) throw unavailable('Redis does not answer in time; it is asked again in a moment.')
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
 * Waits until a client is connected. A process that goes on without Redis counts limits by itself, so that one on a busy
 * machine gives Redis its time; a server that refuses has a second to come up.
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

/** @param end ends its sockets, those that are just connecting too */
function openClient(url: string, end: AbortController): RedisClient {
  // One for each client: Node leaves a listener of every socket behind, and here it is known whose have ended.
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
  return new GatewayError('dependency_unavailable', message, { cause })
}

/** The client's options. The URL itself stays here: it may hold a password, and errors print what they hold. */
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
      'The Redis URL cannot be read; it is redis://user:password@host:port/database, or rediss:// with TLS.',
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
    // Commands that cannot be sent now are refused at once: requests do not wait for an unavailable server.
    disableOfflineQueue: true,
  }
}

/** A percent sign that begins no escape stands for itself, as in a password pasted as it is. */
function decode(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
  )
}
