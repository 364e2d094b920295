/**
 * Secrets among the members of a credential when they are written: a mask that a caller sends back keeps the stored
 * secret, as long as its destination does not change.
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import { destinationOf, isMasked, isMaskedMember } from '@gateway/domain'

/** The members after a write: merged one level over the stored ones. Null removes a member; masks stay unchanged. */
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

const pointer = (param: string, name: string) =>
  `${param}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Paths of masks for which no secret is stored. */
export function strayMasks(members: JsonObject, param: string): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const at = pointer(param, name)
    if (isObject(value)) return strayMasks(value, at)
    return isMasked(value) ? [at] : []
  })
}

/** A write of members with secrets among them. */
export interface MemberWrite {
  stored: JsonObject
  /** As sent, under the stored names. */
  given: JsonObject
  merged: JsonObject
  /** Further secret members. */
  known?: readonly string[]
  param: string
}

/** Whether the write changes the destination of these members' secrets. */
export const isMoved = ({ stored, merged }: Pick<MemberWrite, 'stored' | 'merged'>): boolean =>
  destinationOf(stored) !== destinationOf(merged)

/** Paths of the secrets that a write keeps: stored ones that it omits or sends masked. */
export function keptSecrets({ stored, given, merged, known = [], param }: MemberWrite): string[] {
  const collect = (
    now: JsonObject,
    sent: Json | undefined,
    { was, place }: { was: Json | undefined; place: Place },
  ): string[] =>
    Object.entries(now).flatMap(([name, value]) => {
      if (value === undefined) return []
      const own = isObject(sent) ? ownMember(sent, name) : undefined
      const before = isObject(was) ? ownMember(was, name) : undefined
      const at = pointer(place.param, name)
      if (isMaskedMember(name, value, { ancestors: place.ancestors, known })) {
        return before !== undefined && (own === undefined || isMasked(own)) ? [at] : []
      }
      const below = { ancestors: [...place.ancestors, name], param: at }
      return isObject(value) ? collect(value, own, { was: before, place: below }) : []
    })
  return collect(merged, given, { was: stored, place: { ancestors: [], param } })
}

interface Place {
  ancestors: readonly string[]
  param: string
}
