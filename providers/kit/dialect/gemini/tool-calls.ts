/**
 * Converts tool calls of the conversation to `functionCall` parts, and tool results to `functionResponse` parts. Ids
 * are kept. A call's signature is in the same place as on the vendor's own compatible endpoint
 * (`extra_content.google.thought_signature`); an unsigned step, because another model generated it or the client
 * dropped the signature, gets the placeholder that the vendor documents.
 * Reference: https://ai.google.dev/gemini-api/docs/function-calling, …/thought-signatures
 * Errors: `invalid_body` for arguments that are not a JSON object and for results without a call.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { refusal } from '../../chat/refusal.ts'
import { readArguments, readToolCalls } from '../../chat/tools.ts'
import { objectOf, objectsOf, textOf } from '../../chat/values.ts'
import { isSigned } from './models.ts'
import { inputParts } from './parts.ts'
import type { Part, Reader } from './types.ts'

/** The placeholder that the vendor documents for calls of other models. */
export const unsigned = 'skip_thought_signature_validator'

/** The functions called so far, by call id: a result also contains the function name. */
export type CalledNames = Map<string, string>

/** The calls of an assistant message. */
export function callParts(
  message: JsonObject,
  path: string,
  { reader, called }: { reader: Reader; called: CalledNames },
): Part[] {
  const given = objectsOf(message.tool_calls)
  const parts = readToolCalls(message, path, reader.provider).map(({ id, name, ...call }, index): Part => {
    called.set(id, name)
    const args = readArguments(call, `${path}/tool_calls/${index}/function/arguments`, reader.provider)
    const signature = callSignature(objectOf(given[index]))
    return {
      functionCall: { ...(id === '' ? {} : { id }), name, args },
      ...(signature === null ? {} : { thoughtSignature: signature }),
    }
  })
  return isSigned(reader.model) ? withSignature(parts) : parts
}

/** The first call of a step must be signed. */
function withSignature(parts: Part[]): Part[] {
  const [first, ...others] = parts
  if (first === undefined || first.thoughtSignature !== undefined) return parts
  return [{ ...first, thoughtSignature: unsigned }, ...others]
}

/** A call in the deprecated form has its signature on the function. */
const callSignature = (call: JsonObject): string | null =>
  signatureOf(call) ?? signatureOf(objectOf(call.function))

/** The signature of a call or a message. */
export function signatureOf({ extra_content: extra }: JsonObject): string | null {
  const google = isObject(extra) ? extra.google : undefined
  const signature = isObject(google) ? google.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? signature : null
}

/** The result of one call: a `tool` message. */
export function resultParts(
  message: JsonObject,
  path: string,
  { reader, called }: { reader: Reader; called: CalledNames },
): Part[] {
  const id = textOf(message.tool_call_id)
  const name = called.get(id) ?? textOf(message.name)
  if (name === '') {
    throw refusal(reader.provider, `${path}/tool_call_id`, 'must be the id of an earlier tool call')
  }
  const parts = inputParts(message.content, `${path}/content`, reader)
  const output = parts.map((part) => part.text ?? '').join('')
  const media = parts.filter((part) => part.text === undefined)
  const response = { ...(id === '' ? {} : { id }), name, response: { output } }
  if (media.length === 0) return [{ functionResponse: response }]
  return isSigned(reader.model)
    ? [{ functionResponse: { ...response, parts: media } }]
    : [{ functionResponse: response }, ...media]
}
