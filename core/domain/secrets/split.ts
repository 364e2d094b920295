/**
 * A credential's members (`configurations`, `auth_config`) in two parts: readable members, and members that are sealed
 * together and shown masked.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { isSecretMember } from './content.ts'
import { hidden, mask } from './mask.ts'
import { isSecretHeader } from './names.ts'

interface SplitObject {
  /** Visible to anyone who may read the object. */
  open: JsonObject
  /** Members that are or contain secrets. */
  secret: JsonObject
  /** The secret members, masked. */
  masked: JsonObject
}

/** Header values are always sealed; those with credential names are shown masked. */
const headerMap = 'custom_headers'

/** Splits members; `known` are additional secret names. */
export function splitSecrets(members: JsonObject, known: readonly string[] = []): SplitObject {
  const split: SplitObject = { open: {}, secret: {}, masked: {} }
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue
    const masked = maskMember(name, value, { ancestors: [], known })
    if (masked === value && name !== headerMap) split.open[name] = value
    else {
      split.secret[name] = value
      split.masked[name] = masked
    }
  }
  return split
}

/** Whether a member of a credential is shown masked. */
export function isMaskedMember(
  name: string,
  value: Json,
  { ancestors, known }: { ancestors: readonly string[]; known: readonly string[] },
): boolean {
  if (ancestors.at(-1) === headerMap) return isSecretHeader(name)
  return (ancestors.length === 0 && known.includes(name)) || isSecretMember(name, value, ancestors)
}

/** Returns the same value when there is nothing to hide. */
function maskMember(
  name: string,
  value: Json,
  { ancestors, known }: { ancestors: readonly string[]; known: readonly string[] },
): Json {
  if (isMaskedMember(name, value, { ancestors, known })) return maskAll(value)
  if (!isObject(value)) return value
  const masked = Object.entries(value).flatMap(([inner, member]): [string, Json][] =>
    member === undefined
      ? []
      : [[inner, maskMember(inner, member, { ancestors: [...ancestors, name], known })]],
  )
  return masked.every(([inner, member]) => member === value[inner]) ? value : Object.fromEntries(masked)
}

function maskAll(value: Json): Json {
  if (typeof value === 'string') return mask(value)
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskAll(member ?? null)]))
  }
  return value === null ? null : hidden
}
