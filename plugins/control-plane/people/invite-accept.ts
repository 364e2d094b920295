/** `POST /users/invites/accept` (management contract, section 7): a person is made of an invite, and signed in. */

import { randomUUID } from 'node:crypto'
import {
  type DocumentDraft,
  type DocumentWrite,
  faultsError,
  GatewayError,
  isObject,
  type Route,
  type ServiceAnswer,
  type ServiceContext,
  type StoredDocument,
} from '@gateway/contract'
import { hashKeyOf, isOfKind, kinds, type OrganisationData, typedDocuments } from '@gateway/core/domain'
import { Type } from '@sinclair/typebox'
import { autoKeyWrites, type Joining, madeKey } from '../api-keys/index.ts'
import { type Call, index, plainRoute } from '../engine/index.ts'
import { memberDraft } from '../workspaces/index.ts'
import { type InviteDocument, inviteStatus } from './invite-data.ts'
import { hashPassword, maxPasswordChars, minPasswordChars } from './passwords.ts'
import { isEmailAllowed, nameOf, type UserDocument } from './people.ts'
import { sessionSchema, sha256 } from './session-data.ts'
import { openSession, signInWrite } from './sign-in.ts'
import { failureCounterOf } from './sign-in-rate.ts'
import { users } from './users.ts'

const body = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 255 }),
    first_name: Type.String({ minLength: 1, maxLength: 255 }),
    last_name: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()])),
    password: Type.Optional(
      Type.String({ minLength: minPasswordChars, maxLength: maxPasswordChars, trim: false }),
    ),
  },
  { additionalProperties: false },
)

type AcceptBody = {
  token: string
  first_name: string
  last_name?: string | null
  password?: string
}

const unknownToken = () => new GatewayError('invalid_api_key', 'The invite is not known, or was used.')

function accept(call: Call): Promise<ServiceAnswer> {
  const tries = { address: call.request.clientIp, account: 'invite' }
  return failureCounterOf(call.context).run(tries, () => tryToken(call))
}

async function tryToken(call: Call): Promise<ServiceAnswer> {
  // The schema of the body was passed.
  const sent = call.body as AcceptBody
  const { context, documents, nowMs } = call
  const hash = hashKeyOf(sha256(sent.token))
  const invite = await documents.findByKey(kinds.invite, hash)
  if (invite === null || inviteStatus(invite, nowMs) !== 'pending') throw unknownToken()
  const organisation = await documents.get(kinds.organisation, invite.organisation_id ?? '')
  if (organisation === null) throw unknownToken()
  checkPasswordRule(organisation.data, sent)
  if (!isEmailAllowed(organisation.data, invite.data.email)) throw unknownToken()
  const user = await userDraft(invite, sent, nowMs)
  const writes: DocumentWrite[] = [
    { op: 'put', document: user, expected: 0 },
    acceptedWrite(invite, nowMs),
    ...(await joinWrites(context, { invite, organisation, user, nowMs })),
    signInWrite(organisation.id, user.id, nowMs),
  ]
  return openSession(call, { organisationId: organisation.id, userId: user.id, apiKeyId: null }, writes, {
    action: 'accept',
    resource_type: 'invite',
    resource_id: invite.id,
    before: { status: 'pending' },
    after: { status: 'accepted', user_id: user.id },
  })
}

/** People sign in by password, unless their organisation signs them in elsewhere; where it does both, as they like. */
function checkPasswordRule({ auth_settings: settings }: OrganisationData, { password }: AcceptBody): void {
  const isElsewhere = isObject(settings.oidc)
  const fail = (message: string) => {
    throw faultsError([{ param: '/password', code: 'invalid_body', message }])
  }
  if (password === undefined && !isElsewhere) fail('is required')
  if (password !== undefined && isElsewhere && settings.password_login === false) {
    fail('is not used in this organisation')
  }
}

async function userDraft(
  invite: InviteDocument,
  sent: AcceptBody,
  nowMs: number,
): Promise<DocumentDraft<UserDocument['data']>> {
  const data: UserDocument['data'] = {
    email: invite.data.email,
    first_name: sent.first_name,
    last_name: sent.last_name ?? null,
    role: invite.data.role,
    password_hash: sent.password === undefined ? null : await hashPassword(sent.password),
    last_login_at: null,
    scim_managed: false,
  }
  const draft = {
    kind: kinds.user,
    id: randomUUID(),
    organisation_id: invite.organisation_id,
    workspace_id: null,
    slug: null,
    name: nameOf(data),
    status: 'active',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [] as string[],
    attributes: {} as Record<string, readonly string[]>,
    data,
  }
  index(users, draft)
  return draft
}

function acceptedWrite({ version, ...invite }: InviteDocument, nowMs: number): DocumentWrite {
  return {
    op: 'put',
    expected: version,
    document: {
      ...invite,
      status: 'accepted',
      keys: [],
      last_updated_at: Math.max(nowMs, invite.last_updated_at),
      data: { ...invite.data, accepted_at: new Date(nowMs).toISOString() },
    },
  }
}

interface Joined {
  invite: InviteDocument
  organisation: StoredDocument<OrganisationData>
  user: DocumentDraft<UserDocument['data']>
  nowMs: number
}

/** Memberships of the workspaces that are still there, with the keys that go with them. */
async function joinWrites(
  context: ServiceContext,
  { invite, organisation, user, nowMs }: Joined,
): Promise<DocumentWrite[]> {
  const documents = typedDocuments(context.ports.documents)
  const { role, workspaces, workspace_api_key_details: details } = invite.data
  const writes: DocumentWrite[] = []
  for (const { id, role: workspaceRole } of workspaces) {
    const declared = context
      .fileDocuments()
      .filter((document) => isOfKind(document, kinds.workspace))
      .find((document) => document.id === id)
    const workspace = declared ?? (await documents.get(kinds.workspace, id))
    if (workspace === null || workspace.status !== 'active') continue
    const membership = {
      organisationId: organisation.id,
      workspaceId: workspace.id,
      user: { id: user.id, data: user.data },
      nowMs,
    }
    const joining: Joining = { organisation, workspace, userId: user.id, role, workspaceRole, nowMs }
    writes.push(
      { op: 'put', document: memberDraft({ ...membership, role: workspaceRole }), expected: 0 },
      // The key that the invite asks for takes the place of the one that everybody gets.
      ...(details === null
        ? await autoKeyWrites(context, joining)
        : [madeKey(context, joining, { name: details.name ?? 'Default key', scopes: details.scopes })]),
    )
  }
  return writes
}

export function inviteAcceptRoutes(context: ServiceContext): Route[] {
  return [
    plainRoute(context, {
      method: 'POST',
      path: '/v1/users/invites/accept',
      aliases: ['/v1/admin/users/invites/accept'],
      operationId: 'inviteAccept',
      summary: 'Accepts an invite: makes the person and signs them in',
      tag: 'Users',
      scope: 'public',
      body,
      answer: sessionSchema,
      audit: { action: 'accept', resource_type: 'invite' },
      handle: accept,
    }),
  ]
}
