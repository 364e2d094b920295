/**
 * Relays the messages of a session: returns the provider's messages as a stream while forwarding the client's to the
 * provider. Input guardrails check each client event and transcripts of speech; output guardrails check each response,
 * which is held back if one of them may deny it. Usage is charged per response. Errors: 408 `stream_idle_timeout`,
 * `stream_total_timeout`; 412 and 429 of limits.
 */
import { GatewayError, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { AnswerStream } from '../flow/answer.ts'
import { type ClientSession, type Exchange, required } from '../flow/exchange.ts'
import type { SocketMessages } from '../shared/socket-messages.ts'
import { chargeResponse, type SessionUsage } from './charge-response.ts'
import { createSessionGuard, type SessionGuard } from './session-guard.ts'

interface Clocks {
  idleMs: number
  totalMs: number
}

/** Used when the session's config sets no limit. */
const longestSessionMs = 3_600_000
/** Maximum size of events held back until their response is checked. */
const maxHeldChars = 32_000_000

export async function* relay(
  exchange: Exchange,
  client: ClientSession,
  provider: SocketMessages,
): AnswerStream & AsyncGenerator<Buffer, void, undefined> {
  const guard = createSessionGuard(exchange)
  const ending = createEnding()
  const clock = startClocks(clocksOf(exchange), ending.fail)
  const usage: SessionUsage = { total: null }
  const replies: string[] = []
  const upwards = relayUp({ client, provider, guard, replies, touched: clock.touched, fail: ending.fail })
  let held: string[] | null = guard.holdsResponses ? [] : null
  let heldChars = 0
  try {
    for (;;) {
      const next = await ending.unlessFailed(provider.next())
      clock.touched()
      while (replies.length > 0) yield Buffer.from(replies.shift() ?? '')
      if (next === null) return
      const event = read(next)
      const type = String(event?.type ?? '')
      const isOfResponse = type.startsWith('response.') && type !== 'response.created'
      let refusal: GatewayError | null = null
      if (event !== null) {
        refusal = await chargeResponse(exchange, event, usage)
        const verdict = await guard.checkServer(event)
        if (verdict !== null) {
          held = guard.holdsResponses ? [] : null
          heldChars = 0
          for (const message of verdict.toProvider) await provider.send(message)
          yield Buffer.from(verdict.toClient)
          if (refusal !== null) throw refusal
          continue
        }
      }
      if (held === null || !isOfResponse) {
        yield Buffer.from(next)
        if (refusal !== null) throw refusal
        continue
      }
      held.push(next)
      heldChars += next.length
      if (heldChars > maxHeldChars) throw tooMuch()
      if (type !== 'response.done') continue
      for (const message of held) yield Buffer.from(message)
      held = []
      heldChars = 0
      if (refusal !== null) throw refusal
    }
  } finally {
    clock.stop()
    upwards.stop()
    provider.close(1000, '')
  }
}

const tooMuch = () =>
  new GatewayError(
    'upstream_invalid_response',
    'A response is too large for the output guardrails to hold back.',
  )

/** Null for a message that is not an event. */
function read(text: string): JsonObject | null {
  const event = parseJson(text)
  return isObject(event) ? (event as JsonObject) : null
}

interface Upwards {
  client: ClientSession
  provider: SocketMessages
  guard: SessionGuard
  /** Messages of the gateway to the client. */
  replies: string[]
  touched(): void
  /** Called with the reason when relaying fails. */
  fail(error: unknown): void
}

/**
 * Ends a session that fails while it waits for the provider. `Promise.race` with a promise that lives as long as the session
 * would keep every message until its end.
 */
function createEnding() {
  let failed: { error: unknown } | null = null
  let reject: (error: unknown) => void = () => undefined
  return {
    fail(error: unknown): void {
      failed ??= { error }
      reject(failed.error)
    },
    /** The next message, unless the session fails first. */
    unlessFailed<T>(coming: Promise<T>): Promise<T> {
      return new Promise((onCome, onFailed) => {
        reject = onFailed
        coming.then(onCome, onFailed)
        if (failed !== null) onFailed(failed.error)
      })
    },
  }
}

/** Forwards client messages to the provider. */
function relayUp({ client, provider, guard, replies, touched, fail }: Upwards) {
  let isStopped = false
  const run = async (): Promise<void> => {
    for (;;) {
      const text = await client.next()
      if (isStopped) return
      if (text === null) {
        provider.close(1000, '')
        return
      }
      touched()
      const { forward, reply } = await guard.checkClient(text)
      if (forward !== null) await provider.send(forward)
      if (reply !== null) {
        replies.push(reply)
        await client.send(replies.shift() ?? '')
      }
    }
  }
  run().catch(fail)
  return {
    stop() {
      isStopped = true
    },
  }
}

function clocksOf({ options, node, settings, streamTotalMs, startedAt }: Exchange): Clocks {
  const own = required(options, 'options').streamIdleTimeoutMs ?? node?.streamClocks?.idleMs
  const spentMs = performance.now() - startedAt
  return {
    idleMs: own ?? settings.streamIdleTimeoutMs,
    totalMs: (streamTotalMs ?? longestSessionMs) - spentMs,
  }
}

function startClocks({ idleMs, totalMs }: Clocks, fail: (error: GatewayError) => void) {
  const timeout = (code: 'stream_idle_timeout' | 'stream_total_timeout', message: string) => () =>
    fail(new GatewayError(code, message))
  const idle = setTimeout(timeout('stream_idle_timeout', 'Neither side sent anything for too long.'), idleMs)
  const total = setTimeout(
    timeout('stream_total_timeout', 'The session exceeded its time limit.'),
    Math.max(0, totalMs),
  )
  return {
    touched: () => void idle.refresh(),
    stop() {
      clearTimeout(idle)
      clearTimeout(total)
    },
  }
}
