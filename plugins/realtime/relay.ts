/**
 * Relays the messages of a session: returns the provider's messages as a stream while forwarding the client's to the
 * provider. Input guardrails check each client event and transcripts of speech; output guardrails check each response,
 * which is held back if one of them may deny it. Usage is charged per response; the caller's rights and limits, which
 * may have changed, are checked again before each. Errors: 408 `stream_idle_timeout`, `stream_total_timeout`; those of
 * the host's `admit` and `charge`; an end of the provider that is an error.
 */
import { type GatewayError, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { SessionHost } from '@gateway/contract/dialect'
import { startClocks } from './clocks.ts'
import { createEnding } from './ending.ts'
import { createSessionGuard, errorEvent, type SessionGuard } from './guard.ts'
import { createHeldResponse } from './held-response.ts'
import { createProgress, type ResponseProgress } from './progress.ts'
import { usageOf } from './usage.ts'

/** Events of the provider that begin billed work. */
const beginnings: ReadonlySet<unknown> = new Set(['response.created', 'input_audio_buffer.committed'])

export async function* relay(host: SessionHost): AsyncGenerator<Buffer, void, undefined> {
  const { client, provider } = host
  const guard = createSessionGuard(host)
  const ending = createEnding()
  const clock = startClocks(host, ending.fail)
  const progress = createProgress()
  const replies: string[] = []
  const downwards = createDownwards({ host, guard, progress })
  const upwards = relayUp({ host, guard, progress, replies, clock, ending })
  const cut = () => ending.fail(client.leaving.reason)
  const stop = () => {
    if (!progress.isBusy) ending.finish()
  }
  client.leaving.listen(cut)
  client.stopping.listen(stop)
  if (client.stopping.aborted) stop()
  try {
    for (;;) {
      const next = await ending.unlessOver(provider.next())
      clock.touched()
      while (replies.length > 0) yield Buffer.from(replies.shift() ?? '')
      if (next === null) {
        if (!ending.isFinished) provider.checkEnd()
        return
      }
      const { messages, refusal } = await downwards(next)
      for (const message of messages) yield Buffer.from(message)
      if (refusal !== null) throw refusal
      if (client.stopping.aborted && !progress.isBusy) return
    }
  } finally {
    client.leaving.forget(cut)
    client.stopping.forget(stop)
    clock.stop()
    upwards.stop()
    provider.close()
  }
}

interface Downwards {
  host: SessionHost
  guard: SessionGuard
  progress: ResponseProgress
}

interface Passed {
  /** Messages for the client. */
  messages: string[]
  /** The error that ends the session after them; null if it continues. */
  refusal: GatewayError | null
}

/** The messages sent to the client for a message of the provider. */
function createDownwards({ host, guard, progress }: Downwards) {
  const held = createHeldResponse(host.holdsOutput)
  return async (text: string): Promise<Passed> => {
    const event = read(text)
    if (event === null) return { messages: [text], refusal: null }
    if (beginnings.has(event.type) && !progress.isAsked) {
      const refusal = await host.admit()
      if (refusal !== null) return { messages: [], refusal }
    }
    progress.heard(event)
    const usage = usageOf(event)
    const refusal = usage === null ? null : await host.charge(usage)
    const verdict = await guard.checkServer(event)
    if (verdict === null) return { messages: held.pass(String(event.type ?? ''), text), refusal }
    held.drop()
    for (const message of verdict.toProvider) await host.provider.send(message)
    return { messages: [verdict.toClient], refusal }
  }
}

/** Null for a message that is not an event. */
function read(text: string): JsonObject | null {
  const event = parseJson(text)
  return isObject(event) ? (event as JsonObject) : null
}

interface Upwards extends Downwards {
  /** Messages of the gateway to the client. */
  replies: string[]
  clock: { touched(): void }
  ending: { fail(error: unknown): void; finish(): void }
}

/** Forwards client messages to the provider. */
function relayUp({ host, guard, progress, replies, clock, ending }: Upwards) {
  const { client, provider } = host
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
          const refusal = await host.admit()
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

/** A response that is requested in other spellings is checked when the provider begins it. */
const isCreate = (text: string): boolean =>
  text.includes('"response.create"') && read(text)?.type === 'response.create'
