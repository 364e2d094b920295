/** The first stored form of a user. */
import type { DocumentDraft, OrganisationRole } from '@gateway/contract'
import { kinds, timeOrderedId } from '@gateway/domain'
import { index } from '../engine/index.ts'
import { nameOf, type UserDocument } from './people.ts'
import { users } from './users.ts'

interface NewUser {
  organisationId: string
  /** The e-mail address, in lower case. */
  email: string
  firstName: string
  lastName: string | null
  role: OrganisationRole
  passwordHash: string | null
  nowMs: number
}

export function newUser(made: NewUser): DocumentDraft<UserDocument['data']> {
  const data: UserDocument['data'] = {
    email: made.email,
    first_name: made.firstName,
    last_name: made.lastName,
    role: made.role,
    password_hash: made.passwordHash,
    last_login_at: null,
    scim_managed: false,
  }
  const draft = {
    kind: kinds.user,
    id: timeOrderedId(made.nowMs),
    organisation_id: made.organisationId,
    workspace_id: null,
    slug: null,
    name: nameOf(data),
    status: 'active',
    created_at: made.nowMs,
    last_updated_at: made.nowMs,
    keys: [] as string[],
    attributes: {} as Record<string, readonly string[]>,
    data,
  }
  index(users, draft)
  return draft
}
