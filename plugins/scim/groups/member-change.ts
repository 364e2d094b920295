/**
 * The changes to the members of a group by the operations of a PATCH, or by a complete list. Errors: 400
 * `invalidValue`, `invalidFilter`.
 */
import { isObject, type Json } from '@gateway/contract'
import type { Filter } from '../filter/parse-filter.ts'
import type { Operation } from '../patch/operations.ts'
import { attributeNamed } from '../protocol/attribute.ts'
import { invalid } from '../protocol/errors.ts'
import { groupType } from '../protocol/group-schema.ts'
import { readItems } from '../protocol/read-resource.ts'

export interface MemberChange {
  /** Whether previous members who are not added are removed. */
  isWhole: boolean
  /** Ids of users. */
  added: ReadonlySet<string>
  removed: ReadonlySet<string>
}

export const noMemberChange: MemberChange = { isWhole: false, added: new Set(), removed: new Set() }

/** A group with exactly these members. */
export const wholeMembers = (value: Json): MemberChange => ({
  isWhole: true,
  added: new Set(idsOf(value)),
  removed: new Set(),
})

export const isMembersOperation = ({ target }: Operation): boolean =>
  target.path.name.toLowerCase() === 'members'

export function memberChangeOf(operations: readonly Operation[]): MemberChange {
  let isWhole = false
  const added = new Set<string>()
  const removed = new Set<string>()
  const begin = () => {
    isWhole = true
    added.clear()
    removed.clear()
  }
  for (const { op, target, value } of operations) {
    const chosen = target.item === null ? null : chosenIds(target.item)
    const ids = chosen ?? (value === null ? null : idsOf(value))
    if (op !== 'add' && ids === null) begin()
    if (op === 'replace' && chosen === null) begin()
    for (const id of ids ?? []) {
      if (op === 'remove') {
        added.delete(id)
        removed.add(id)
      } else {
        removed.delete(id)
        added.add(id)
      }
    }
  }
  return { isWhole, added, removed }
}

/** `members[value eq "…"]`, several joined by `or`. */
function chosenIds(filter: Filter): string[] {
  if ('or' in filter) return filter.or.flatMap(chosenIds)
  const isId =
    'op' in filter &&
    filter.op === 'eq' &&
    filter.path.name.toLowerCase() === 'value' &&
    filter.path.part === null
  if (isId && filter.op === 'eq' && typeof filter.value === 'string') return [filter.value]
  throw invalid('invalidFilter', 'Select members with members[value eq "ID"].')
}

const members = attributeNamed(groupType.schema.attributes, 'members')

function idsOf(value: Json): string[] {
  if (members === null || value === null) return []
  // A plain id is read as an object with that id.
  const items = readItems(members, value, 'members') ?? []
  return items.map((item) => {
    const id = isObject(item) ? item.value : undefined
    if (typeof id !== 'string') throw invalid('invalidValue', 'A member must have value, the id of a user.')
    return id
  })
}
