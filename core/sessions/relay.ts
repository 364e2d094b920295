/**
 * Relays the messages of a session: returns the provider's messages as a stream while forwarding the client's to the
 * provider. Input guardrails check each client event and transcripts of speech; output guardrails check each response,
 * which is held back if one of them may deny it. Usage is charged per response; what may change meanwhile is checked
 * again before each. Errors: 408 `stream_idle_timeout`, `stream_total_timeout`; those of {@link admitResponse}; an
 * end of the provider that is an error, as {@link SessionClosed}.
 */
import { type GatewayError, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type {
  AnswerStream,
  CallerPorts,
  CheckPorts,
  ClientSession,
  LimitPorts,
  Ports,
  Targeted,
} from '../flow/index.ts'
import { closeCodes, SessionClosed, type SocketMessages } from '../shared/index.ts'
import { admitResponse } from './admit-response.ts'
import { chargeResponse, type SessionUsage } from './charge-response.ts'
import { createHeldResponse } from './held-response.ts'
import { createProgress, type ResponseProgress } from './response-progress.ts'
import { startClocks } from './session-clocks.ts'
import { createEnding } from './session-ending.ts'
import { createSessionGuard, errorEvent, type SessionGuard } from './session-guard.ts'

/** Events of the provider that begin something billed. */
const beginnings: ReadonlySet<unknown> = new Set(['response.created', 'input_audio_buffer.committed'])

export async function* relay(
  ports: CheckPorts & LimitPorts & Ports<'workspaces'>,
  exchange: Targeted,
  client: ClientSession,
  provider: SocketMessages,
): AnswerStream & AsyncGenerator<Buffer, void, undefined> {
  const guard = createSessionGuard(ports, exchange)
  const ending = createEnding()
  const clock = startClocks(exchange, ending.fail)
  const progress = createProgress()
  const replies: string[] = []
  const downwards = createDownwards(ports, { exchange, provider, guard, progress })
  const upwards = relayUp(ports, { exchange, client, provider, guard, progress, replies, clock, ending })
  const cut = () => ending.fail(exchange.leaving.reason)
  const stop = () => {
    if (!progress.isBusy) ending.finish()
  }
  exchange.leaving.listen(cut)
  client.stopping.listen(stop)
  if (client.stopping.aborted) stop()
  try {
    for (;;) {
      const next = await ending.unlessOver(provider.next())
      clock.touched()
      while (replies.length > 0) yield Buffer.from(replies.shift() ?? '')
      if (next === null) {
        if (!ending.isFinished) checkEnd(provider)
        return
      }
      const { messages, refusal } = await downwards(next)
      for (const message of messages) yield Buffer.from(message)
      if (refusal !== null) throw refusal
      if (client.stopping.aborted && !progress.isBusy) return
    }
  } finally {
    exchange.leaving.forget(cut)
    client.stopping.forget(stop)
    clock.stop()
    upwards.stop()
    provider.close(client.closeCode() ?? closeCodes.normal, '')
  }
}

/** Throws when the provider broke the session off, or closed it with an error code. */
function checkEnd(provider: SocketMessages): void {
  const { code, reason } = provider.closing() ?? { code: closeCodes.broken, reason: '' }
  if (code === closeCodes.normal || code === closeCodes.none) return
  const because = reason === '' ? '' : `: ${reason}`
  const message =
    code === closeCodes.broken
      ? "The provider's connection broke."
      : `The provider closed the session with code ${code}${because}`
  throw new SessionClosed('upstream_error', message, code)
}

interface Downwards {
  exchange: Targeted
  provider: SocketMessages
  guard: SessionGuard
  progress: ResponseProgress
}

interface Passed {
  /** For the client. */
  messages: string[]
  /** Why the session ends after them; null: it continues. */
  refusal: GatewayError | null
}

/** What the client gets for a message of the provider. */
function createDownwards(
  ports: LimitPorts & Ports<'workspaces'>,
  { exchange, provider, guard, progress }: Downwards,
) {
  const held = createHeldResponse(guard.holdsResponses)
  const usage: SessionUsage = { total: null }
  return async (text: string): Promise<Passed> => {
    const event = read(text)
    if (event === null) return { messages: [text], refusal: null }
    if (beginnings.has(event.type) && !progress.isAsked) {
      const refusal = await admitResponse(ports, exchange)
      if (refusal !== null) return { messages: [], refusal }
    }
    progress.heard(event)
    const refusal = await chargeResponse(ports, exchange, event, usage)
    const verdict = await guard.checkServer(event)
    if (verdict === null) return { messages: held.pass(String(event.type ?? ''), text), refusal }
    held.drop()
    for (const message of verdict.toProvider) await provider.send(message)
    return { messages: [verdict.toClient], refusal }
  }
}

/** Null for a message that is not an event. */
function read(text: string): JsonObject | null {
  const event = parseJson(text)
  return isObject(event) ? (event as JsonObject) : null
}

interface Upwards extends Downwards {
  client: ClientSession
  /** Messages of the gateway to the client. */
  replies: string[]
  clock: { touched(): void }
  ending: { fail(error: unknown): void; finish(): void }
}

/** Forwards client messages to the provider. */
function relayUp(
  ports: CallerPorts & Ports<'metrics'>,
  { exchange, client, provider, guard, progress, replies, clock, ending }: Upwards,
) {
  let isStopped = false
  const answer = async (reply: string) => {
    replies.push(reply)
    await client.send(replies.shift() ?? '')
  }
  const run = async (): Promise<void> => {
    for (;;) {
      const text = await client.next()
      if (isStopped) return
      if (text === null) {
        ending.finish()
        return
      }
      clock.touched()
      const { forward, reply } = await guard.checkClient(text)
      if (forward !== null) {
        if (isCreate(forward)) {
          if (client.stopping.aborted) {
            await answer(errorEvent(null, 'The gateway is shutting down.', 'shutting_down'))
            continue
          }
          const refusal = await admitResponse(ports, exchange)
          if (refusal !== null) throw refusal
          progress.asked()
        }
        await provider.send(forward)
      }
      if (reply !== null) await answer(reply)
    }
  }
  run().catch(ending.fail)
  return {
    stop() {
      isStopped = true
    },
  }
}

/** A response that is asked for in other spellings is checked when the provider begins it. */
const isCreate = (text: string): boolean =>
  text.includes('"response.create"') && read(text)?.type === 'response.create'
