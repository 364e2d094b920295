/**
 * Corrections of chat answers whose provider deviates from the format: parallel calls that share an index, calls
 * without an id, content that is a list of parts, cached tokens under another name. The same object is returned if
 * nothing needs correcting.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { cachedNames, cachedTokensOf, type Repair, type RepairContext } from '@gateway/contract/dialect'
import { createCallNumbers, withCallIds } from './call-numbers.ts'
import { createContentParts, withTextContent } from './content-parts.ts'

const marks = [
  '"tool_calls":[',
  '"tool_calls": [',
  '"content":[',
  '"content": [',
  ...cachedNames.map((name) => `"${name}"`),
]

export const chatRepair: Repair = {
  marks: marks.map((text) => Buffer.from(text)),
  answer: (body, context) =>
    withCachedTokens(
      eachChoice(body, 'message', (message, index) => {
        const said = Array.isArray(message.content) ? withTextContent(message, context) : message
        return Array.isArray(said.tool_calls) ? withCallIds(said, context.request, index) : said
      }),
    ),
  stream(context) {
    const choices = new Map<number, (delta: JsonObject) => JsonObject>()
    const repairOf = (index: number) => {
      const known = choices.get(index) ?? repairDelta(index, context)
      choices.set(index, known)
      return known
    }
    return (chunk) => withCachedTokens(eachChoice(chunk, 'delta', (delta, index) => repairOf(index)(delta)))
  },
}

/** The usage with cached tokens in the format's member; the provider's own member stays. */
function withCachedTokens(body: JsonObject): JsonObject {
  const { usage } = body
  if (!isObject(usage) || typeof usage.prompt_tokens !== 'number') return body
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const cached = cachedTokensOf(usage)
  if (cached === null || typeof details.cached_tokens === 'number') return body
  return { ...body, usage: { ...usage, prompt_tokens_details: { ...details, cached_tokens: cached } } }
}

function repairDelta(choice: number, context: RepairContext): (delta: JsonObject) => JsonObject {
  const numbers = createCallNumbers(context.request, choice)
  const parts = createContentParts(context)
  return (delta) => numbers(parts(delta))
}

function eachChoice(
  body: JsonObject,
  member: 'message' | 'delta',
  repair: (said: JsonObject, index: number) => JsonObject,
): JsonObject {
  const { choices: given } = body
  if (!Array.isArray(given)) return body
  let isChanged = false
  const choices = given.map((choice, position): Json => {
    const said = isObject(choice) ? choice[member] : undefined
    if (!isObject(choice) || !isObject(said)) return choice
    const repaired = repair(said, typeof choice.index === 'number' ? choice.index : position)
    if (repaired === said) return choice
    isChanged = true
    return { ...choice, [member]: repaired }
  })
  return isChanged ? { ...body, choices } : body
}
