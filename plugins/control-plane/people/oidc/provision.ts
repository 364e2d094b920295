/**
 * Finds the user who signs in: the one who is bound to the subject, a user of the organisation who is not yet bound, one
 * with a pending invite or, unless disabled, a new one.
 * Errors: 403 `forbidden`.
 */
import type { DocumentDraft, DocumentWrite, OrganisationRole, StoredDocument } from '@gateway/contract'
import { kinds, type OrganisationData } from '@gateway/domain'
import { type Call, index } from '../../engine/index.ts'
import { type InviteDocument, inviteStatus, pendingKey } from '../invite-data.ts'
import { acceptedWrite, joinWrites } from '../invite-join.ts'
import { newUser } from '../new-user.ts'
import { emailKey, isEmailAllowed, type UserDocument } from '../people.ts'
import { subjectKey } from '../user-index.ts'
import { users } from '../users.ts'
import type { Person } from './claims.ts'
import { refusal } from './refusals.ts'

export interface Provisioned {
  userId: string
  /** Writes for the commit that opens the session. */
  writes: DocumentWrite[]
  isNew: boolean
}

interface SignIn {
  organisation: StoredDocument<OrganisationData>
  person: Person
  /** The issuer of the person's subject. */
  issuer: string
  /** The role of a new user, unless an invite sets another one. */
  role: OrganisationRole
}

/** A user is bound to the subject at the first sign-in; from then on no e-mail address finds the user. */
export async function provision(call: Call<'keyPrefix'>, signIn: SignIn): Promise<Provisioned> {
  const { organisation, person, issuer } = signIn
  const key = subjectKey(organisation.id, issuer, person.subject)
  const bound = await call.documents.findByKey(kinds.user, key)
  if (bound === null) return provisionByAddress(call, signIn)
  refuseStranger(organisation, bound)
  if (!isEmailAllowed(organisation.data, bound.data.email)) throw refusal('domain_not_allowed')
  return { userId: bound.id, writes: [], isNew: false }
}

/** Finds by an e-mail address for which the identity provider vouches, or creates the user. */
async function provisionByAddress(call: Call<'keyPrefix'>, signIn: SignIn): Promise<Provisioned> {
  const { organisation, person } = signIn
  const { email } = person
  if (email === null) throw refusal('email_missing')
  if (person.isEmailDenied) throw refusal('email_unverified')
  if (!isEmailAllowed(organisation.data, email)) throw refusal('domain_not_allowed')
  const found = await call.documents.findByKey(kinds.user, emailKey(email))
  const pending = await call.documents.findByKey(kinds.invite, pendingKey(email, organisation.id))
  const invite = pending !== null && inviteStatus(pending, call.nowMs) === 'pending' ? pending : null
  const { allowed_domains: domains, disable_auto_provision_user: isClosed } = organisation.data.auth_settings
  // The address must be verified, because it gives access to an account, an invite, or the organisation of a domain.
  const opens = found !== null || invite !== null || (Array.isArray(domains) && domains.length > 0)
  if (found !== null) refuseStranger(organisation, found)
  if (opens && !person.isEmailVouched) throw refusal('email_unverified')
  if (found === null && invite === null && isClosed === true) throw refusal('invite_needed')
  const made = found === null ? newUserOf(call, signIn, { email, invite }) : null
  const user = found ?? made
  if (user === null) throw refusal('not_allowed')
  if ((found?.data.identity_provider ?? null) !== null) throw refusal('address_taken')
  const binding = bindingWrite(call, signIn, { found, made })
  const joins =
    invite === null
      ? []
      : [
          acceptedWrite(invite, call.nowMs),
          ...(await joinWrites(call.context, { invite, organisation, user, nowMs: call.nowMs })),
        ]
  return { userId: user.id, writes: [...binding, ...joins], isNew: made !== null }
}

function refuseStranger(organisation: StoredDocument<OrganisationData>, user: UserDocument): void {
  if (user.organisation_id !== organisation.id || user.status !== 'active') throw refusal('not_allowed')
}

interface NewUserOptions {
  email: string
  invite: InviteDocument | null
}

const newUserOf = (call: Call, { organisation, person, role }: SignIn, { email, invite }: NewUserOptions) =>
  newUser({
    organisationId: organisation.id,
    email,
    firstName: person.firstName,
    lastName: person.lastName,
    role: invite?.data.role ?? role,
    passwordHash: null,
    nowMs: call.nowMs,
  })

interface BindingWriteOptions {
  found: UserDocument | null
  made: DocumentDraft<UserDocument['data']> | null
}

/** The write that binds a user, who was found or is new, to the subject. */
function bindingWrite(
  { nowMs }: Call,
  { issuer, person: { subject } }: SignIn,
  { found, made }: BindingWriteOptions,
): DocumentWrite[] {
  const { version, ...stored } = found ?? { version: 0 }
  const before = 'data' in stored ? stored : made
  if (before === null) return []
  const draft = {
    ...before,
    last_updated_at: Math.max(nowMs, before.last_updated_at),
    keys: [],
    attributes: {},
    data: { ...before.data, identity_provider: { issuer, subject } },
  }
  index(users, draft)
  return [{ op: 'put', document: draft, expected: version }]
}
