/**
 * Finds the user who signs in: a user of the organisation, one with a pending invite or, unless disabled, a new one.
 * Errors: 403 `forbidden`.
 */
import type { DocumentWrite, OrganisationRole, StoredDocument } from '@gateway/contract'
import { kinds, type OrganisationData } from '@gateway/core/domain'
import type { Call } from '../../engine/index.ts'
import { inviteStatus, pendingKey } from '../invite-data.ts'
import { acceptedWrite, joinWrites } from '../invite-join.ts'
import { newUser } from '../new-user.ts'
import { emailKey, isEmailAllowed } from '../people.ts'
import type { Person } from './claims.ts'
import { refusal } from './refusals.ts'

export interface Provisioned {
  userId: string
  /** For the commit that opens the session. */
  writes: DocumentWrite[]
  isNew: boolean
}

/** @param role the role of a new user, unless an invite sets another one */
export async function provision(
  call: Call,
  organisation: StoredDocument<OrganisationData>,
  person: Person,
  role: OrganisationRole,
): Promise<Provisioned> {
  const { context, documents, nowMs } = call
  if (!isEmailAllowed(organisation.data, person.email)) {
    throw refusal('domain_not_allowed')
  }
  const found = await documents.findByKey(kinds.user, emailKey(person.email))
  if (found !== null && (found.organisation_id !== organisation.id || found.status !== 'active')) {
    throw refusal('not_allowed')
  }
  const pending = await documents.findByKey(kinds.invite, pendingKey(person.email, organisation.id))
  const invite = pending !== null && inviteStatus(pending, nowMs) === 'pending' ? pending : null
  if (
    found === null &&
    invite === null &&
    organisation.data.auth_settings.disable_auto_provision_user === true
  ) {
    throw refusal('invite_needed')
  }
  const made =
    found === null
      ? newUser({
          organisationId: organisation.id,
          email: person.email,
          firstName: person.firstName,
          lastName: person.lastName,
          role: invite?.data.role ?? role,
          passwordHash: null,
          nowMs,
        })
      : null
  const user = found ?? made
  if (user === null) throw refusal('not_allowed')
  const writes: DocumentWrite[] = [
    ...(made === null
      ? []
      : [{ op: 'put' as const, document: { ...made, data: { ...made.data } }, expected: 0 }]),
    ...(invite === null
      ? []
      : [
          acceptedWrite(invite, nowMs),
          ...(await joinWrites(context, { invite, organisation, user, nowMs })),
        ]),
  ]
  return { userId: user.id, writes, isNew: made !== null }
}
