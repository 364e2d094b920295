/**
 * The unified `thinking` (`{type, budget_tokens}`) under a provider's own names. It reaches a provider only without
 * strict compliance; providers without such a rule get it as it is.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface ThinkingRules {
  /** Where the switch and the budget stand; `a.b` is the member `b` of the object `a`. */
  thinking?: { switch: string; budget?: string }
}

/** The body with `thinking` under the provider's names; what the caller wrote under those itself wins. */
export function translateThinking(body: JsonObject, { thinking: names }: ThinkingRules): JsonObject {
  if (names === undefined || !isObject(body.thinking)) return body
  const { thinking, ...rest } = body as JsonObject & { thinking: JsonObject }
  const budget = names.budget === undefined ? undefined : thinking.budget_tokens
  const switched = put(rest, names.switch, thinking.type !== 'disabled')
  return names.budget === undefined || typeof budget !== 'number'
    ? switched
    : put(switched, names.budget, budget)
}

function put(body: JsonObject, path: string, value: Json): JsonObject {
  const [head = '', member] = path.split('.')
  const given = body[head]
  if (member === undefined) return given === undefined ? { ...body, [head]: value } : body
  if (given !== undefined && !isObject(given)) return body
  return given?.[member] === undefined ? { ...body, [head]: { ...given, [member]: value } } : body
}
