/**
 * Converts a secret's text to the value of a field: the whole text, one member, or the parsed object. Errors:
 * `upstream_error` for a missing member and for text that is not an object.
 */
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'

/** The secret as text: one member of its object, or the whole text. */
export function memberText(text: string, secretKey: string | null): string {
  if (secretKey === null) return text
  const object = objectIn(text)
  const member = object !== null && Object.hasOwn(object, secretKey) ? object[secretKey] : undefined
  if (member === undefined || member === null) {
    throw new GatewayError(
      'upstream_error',
      "The secret of the provider's credential lacks the mapped member.",
    )
  }
  return typeof member === 'string' ? member : JSON.stringify(member)
}

/** The secret as an object. */
export function memberObject(text: string, secretKey: string | null): JsonObject {
  const object = objectIn(memberText(text, secretKey))
  if (object !== null) return object
  throw new GatewayError('upstream_error', "The secret of the provider's credential is not a JSON object.")
}

/** All texts in a secret that must be redacted: the secret itself, and its members. */
export function textsIn(text: string): string[] {
  const object = objectIn(text)
  return object === null ? [text] : [text, ...leaves(object)]
}

const leaves = (value: Json | undefined): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}

function objectIn(text: string): JsonObject | null {
  if (!/^\s*\{/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
