/**
 * What of a credential's objects is secret, by the names of members: it is sealed, and shown masked. A mask that is
 * sent back stands for the secret that it masks.
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import { hidden, isMasked, mask } from '../engine/index.ts'

const secretName =
  /secret|token|password|passphrase|private_key|access_key|api_key|cookie|authorization|^key$/i
/** Headers say it with fewer words. */
const secretHeader = /auth|key|token|secret|password|cookie|signature/i

export interface SplitObject {
  /** May be read by anyone who may read the object. */
  open: JsonObject
  /** Members that are secret, or hold something that is. */
  secret: JsonObject
  /** The same, masked. */
  masked: JsonObject
}

/** Sorts the members of `configurations` (or of `auth_config`, where the secret members are known by name). */
export function splitSecrets(members: JsonObject, known: readonly string[] = []): SplitObject {
  const split: SplitObject = { open: {}, secret: {}, masked: {} }
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue
    const masked = known.includes(name) ? maskAll(value) : maskMember(name, value)
    if (masked === value) split.open[name] = value
    else {
      split.secret[name] = value
      split.masked[name] = masked
    }
  }
  return split
}

/** The same value when there is nothing to hide in it. */
function maskMember(name: string, value: Json): Json {
  if (isObject(value)) return maskObject(value, name === 'custom_headers' ? secretHeader : secretName)
  return secretName.test(name) ? maskAll(value) : value
}

function maskObject(object: JsonObject, names: RegExp): JsonObject {
  let isChanged = false
  const masked: JsonObject = {}
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    const shown = isObject(value) ? maskObject(value, names) : names.test(name) ? maskAll(value) : value
    isChanged ||= shown !== value
    masked[name] = shown
  }
  return isChanged ? masked : object
}

function maskAll(value: Json): Json {
  if (typeof value === 'string') return mask(value)
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskAll(member ?? null)]))
  }
  return value === null ? null : hidden
}

/** Members as they are written: merged one level over what is stored, null removing one, masks left as they were. */
export function mergeMembers(stored: JsonObject, given: JsonObject): JsonObject {
  const merged: JsonObject = { ...stored }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (value === null) delete merged[name]
    else merged[name] = unmask(value, ownMember(stored, name))
  }
  return merged
}

function unmask(given: Json, stored: Json | undefined): Json {
  if (isMasked(given)) return stored ?? given
  if (!isObject(given) || !isObject(stored)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, unmask(value ?? null, ownMember(stored, name))]),
  )
}

/** Paths of masks that stand for nothing: nobody stored the secret. */
export function strayMasks(members: JsonObject, param: string): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const at = `${param}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (isObject(value)) return strayMasks(value, at)
    return isMasked(value) ? [at] : []
  })
}
