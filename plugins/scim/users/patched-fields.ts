/** A user after the operations of a PATCH. */
import type { UserData } from '@gateway/domain'
import { applyOperations } from '../patch/apply-operations.ts'
import type { Operation } from '../patch/operations.ts'
import { userType } from '../protocol/user-schema.ts'
import { fieldsOf, resourceOf, type UserFields } from './user-fields.ts'

/** Derived from other members for users whose identity provider did not send them; stored only if changed. */
const made = ['emails', 'displayName'] as const

export function patchedFields(data: UserData, status: string, operations: readonly Operation[]): UserFields {
  const before = resourceOf(data, status)
  const after = applyOperations(userType, before, operations)
  for (const name of made) {
    const isMade = data.scim?.[name] === undefined
    if (isMade && JSON.stringify(after[name]) === JSON.stringify(before[name])) delete after[name]
  }
  const fields = fieldsOf(after)
  // A user whose roles were all removed is a member.
  return { ...fields, role: fields.role ?? 'member' }
}
