/**
 * Chat chunks → the events of a response stream. The last event contains the whole response.
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type ClientStream, type DialectContext, indexed } from '@gateway/contract/dialect'
import { isSilent } from './answer.ts'
import { createCalls } from './calls.ts'
import { createNumbering, responseEvent } from './events.ts'
import { readLogprobs, responsePrefix } from './items.ts'
import { createOutput } from './output.ts'
import { type Ending, endingOf, responseObject, usageOf } from './response-object.ts'
import { signatureBlock } from './signature.ts'
import { createTalk } from './talk.ts'

export function responsesStream(context: DialectContext): ClientStream {
  const id = context.id(responsePrefix)
  const number = createNumbering()
  const output = createOutput(id)
  const talk = createTalk(output)
  const calls = createCalls(output, context, talk)
  let head = { createdAt: Math.floor(context.now() / 1000), model: context.request.model }
  let serviceTier: Json | undefined
  let usage: JsonObject | null = null
  let ending: Ending | null = null
  let isBegun = false

  const response = (end: Ending | null): JsonObject =>
    responseObject(
      { id, ...head, serviceTier, ending: end, output: end === null ? [] : output.items(), usage },
      context,
    )

  const begin = (chunk: JsonObject): JsonObject[] => {
    if (isBegun) return []
    isBegun = true
    const createdAt = typeof chunk.created === 'number' ? chunk.created : head.createdAt
    head = { createdAt, model: chunk.model ?? head.model }
    return [responseEvent('created', response(null)), responseEvent('in_progress', response(null))]
  }

  const finish = (end: Ending): JsonObject[] => {
    const isMute = isSilent({ said: talk.messages(), calls: calls.count() }, end)
    return [...(isMute ? talk.silence() : []), ...talk.end(end), ...calls.end(end)]
  }

  const addChoice = (choice: JsonObject): JsonObject[] => {
    const delta = isObject(choice.delta) ? choice.delta : {}
    const reason = choice.finish_reason ?? null
    if (reason !== null) ending = endingOf(reason)
    return [
      ...talk.reasoning(delta),
      ...talk.message(delta, readLogprobs(choice.logprobs)),
      ...(isObject(delta.extra_content) ? talk.carry(signatureBlock(delta.extra_content)) : []),
      ...indexed(delta.tool_calls).flatMap(([position, call]) => calls.add(position, call)),
    ]
  }

  return {
    chunk(chunk) {
      const begun = begin(chunk)
      usage = usageOf(chunk.usage) ?? usage
      serviceTier = chunk.service_tier ?? serviceTier
      const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : []
      const told = choices.filter(({ index }) => index === undefined || index === 0).flatMap(addChoice)
      return number([...begun, ...told])
    },
    end() {
      const end = ending ?? endingOf(null)
      const events = [...begin({}), ...finish(end)]
      return number([...events, responseEvent(end.status, response(end))])
    },
  }
}
