/**
 * Stores a response before the caller receives it: a translated response with its input items, or, for a response
 * stored by its provider, the credential used. If storing fails, the answer is still sent and the failure is logged.
 */

import { faultReason, isGatewayError, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { KeptAnswers } from '@gateway/contract/dialect'
import type { Answer, AnswerStream, Ports, Received, Routed } from '@gateway/flow'
import { parseEvents } from '@gateway/streaming'

interface Asking {
  exchange: Routed
  /** How answers of the endpoint are stored. */
  keeps: KeptAnswers
}

/** Returns the answer, which is stored once it is complete. */
export async function saveResponse(
  ports: Ports<'log' | 'metrics'>,
  asking: Asking,
  answer: Answer,
): Promise<Answer> {
  const keep = keeperOf(ports, asking, answer)
  if (keep === null || answer.fault !== null || answer.status < 200 || answer.status > 299) return answer
  if (answer.stream !== null) return { ...answer, stream: watch(answer.stream, keep) }
  if (answer.body !== null) await keep.response(answer.body)
  return answer
}

interface Keeper {
  /** Types of the events that contain a response to store. */
  events: readonly string[]
  response(response: JsonObject): Promise<void>
}

/** Null for an answer that is not stored, such as one from the cache. */
function keeperOf(
  ports: Ports<'log' | 'metrics'>,
  { exchange, keeps }: Asking,
  { asked, target }: Answer,
): Keeper | null {
  const { endings, beginnings, translated, portable } = keeps
  const { workspace } = exchange
  const { body } = exchange.input
  const { stores } = exchange.request
  const { workspaceId } = exchange.caller.identity
  const { keepUnstored } = stores.responses
  if (body.store === false) {
    if (keepUnstored === null) return null
    return {
      events: endings,
      response: (response) =>
        guard(ports, exchange, {
          response,
          keep: async () =>
            keepUnstored(
              workspaceId,
              asked === null ? portable(response, body) : translated(response, asked),
            ),
        }),
    }
  }
  if (asked !== null) {
    return {
      events: endings,
      response: (response) =>
        guardStored(ports, exchange, {
          response,
          keep: () => stores.responses.keep(workspaceId, translated(response, asked)),
        }),
    }
  }
  const slug = target?.slug ?? null
  // On a host that the caller chose, an id does not prove who owns the response.
  if (target === null || slug === null || workspace.storedTargets.get(slug)?.identity !== target.identity)
    return null
  return {
    events: beginnings,
    response: (response) =>
      guardStored(ports, exchange, {
        response,
        keep: (id) =>
          stores.responses.noteOwner(id, {
            workspace: workspaceId,
            slug,
            session: exchange.request.record.session,
          }),
      }),
  }
}

const guardStored: typeof guard = async (ports: Ports<'log' | 'metrics'>, exchange, { response, keep }) => {
  if (response.store !== false) await guard(ports, exchange, { response, keep })
}

async function guard(
  ports: Ports<'log' | 'metrics'>,
  exchange: Received,
  { response, keep }: { response: JsonObject; keep: (id: string) => Promise<void> },
): Promise<void> {
  if (typeof response.id !== 'string') return
  try {
    await keep(response.id)
  } catch (error) {
    const { metrics, log } = ports
    metrics.cacheErrors.inc({ operation: 'write' })
    const reason = isGatewayError(error) ? faultReason(error) : error instanceof Error ? error.name : 'error'
    log.warn({ trace_id: exchange.request.traceId, reason }, 'failed to store a response')
  }
}

/** Returns the same stream, in which an event with a response waits until the response is stored. */
function watch(stream: AnswerStream, { events, response: keep }: Keeper): AnswerStream {
  return {
    async next() {
      const step = await stream.next()
      if (step.done !== true && events.some((type) => step.value.includes(type)))
        for (const response of responsesIn(step.value, events)) await keep(response)
      return step
    },
    async return() {
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function responsesIn(bytes: Buffer, events: readonly string[]): JsonObject[] {
  return parseEvents(bytes).flatMap(({ data }) => {
    const event = events.some((type) => data.includes(type)) ? parseJson(data) : null
    if (!isObject(event) || !isObject(event.response)) return []
    return typeof event.type === 'string' && events.includes(event.type) ? [event.response] : []
  })
}
