/**
 * The unified `thinking` (`{type, budget_tokens}`) with a provider's own parameter names. It is sent only without
 * strict compliance; providers without such a rule get it unchanged. If the provider defines `thinking` itself, it is
 * always sent unchanged.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface ThinkingRules {
  /**
   * The members for the switch and the budget; `a.b` is the member `b` of the object `a`. `own`: the provider has a
   * parameter `thinking`.
   */
  thinking?: 'own' | { switch: string; budget?: string }
}

/** The body with `thinking` in the provider's parameters; values that the caller sets for those take precedence. */
export function translateThinking(body: JsonObject, { thinking: names }: ThinkingRules): JsonObject {
  if (names === undefined || names === 'own' || !isObject(body.thinking)) return body
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
