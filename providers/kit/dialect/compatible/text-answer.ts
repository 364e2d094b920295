/**
 * Text completions that a compatible provider answers in the chat format (as fill-in-the-middle endpoints do),
 * converted to text completions.
 * Reference: https://platform.openai.com/docs/api-reference/completions
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** An answer or a chunk as `text_completion`. */
export function asTextCompletion(body: JsonObject): JsonObject {
  const { choices } = body
  return {
    ...body,
    object: 'text_completion',
    ...(Array.isArray(choices) ? { choices: choices.map(asTextChoice) } : {}),
  }
}

function asTextChoice(choice: Json): Json {
  if (!isObject(choice)) return choice
  const { message, delta, ...rest } = choice
  const said = isObject(message) ? message : isObject(delta) ? delta : {}
  const text = typeof said.content === 'string' ? said.content : ''
  return { index: 0, logprobs: null, ...rest, text }
}
