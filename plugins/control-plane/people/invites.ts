/** Invites to the organisation (management contract, section 7). The link is shown once and sent by e-mail. */

import {
  type DocumentDraft,
  type DocumentWrite,
  isGatewayError,
  type JsonObject,
  type OrganisationRole,
} from '@gateway/contract'
import { type InviteData, kinds, mustBeOneOf, type WorkspaceRole } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { checkGrant, readScopes } from '../api-keys/index.ts'
import {
  type Call,
  conflict,
  defineResource,
  forbidden,
  type Resource,
  toIso,
  type Write,
  writerOf,
} from '../engine/index.ts'
import { checkRoleGrant, inviteMail, lackedScope, readRole, workspaceRoles } from '../shared/index.ts'
import {
  createInviteToken,
  expireInvite,
  type InviteDocument,
  inviteKeys,
  inviteMs,
  inviteStatus,
  pendingKey,
  presentInvite,
} from './invite-data.ts'
import { emailKey, isEmailAllowed, personFilters } from './people.ts'
import { refuseUnlessByScim } from './users.ts'

const oneOf = (...names: string[]): TSchema => Type.Unsafe<string>({ type: 'string', enum: names })
const roleText = Type.String({ minLength: 1, maxLength: 20 })
const nullableText = Type.Union([Type.String(), Type.Null()])
const inviteRoles: readonly OrganisationRole[] = ['admin', 'member']

const workspacesSchema = Type.Array(
  Type.Object({ id: Type.String({ minLength: 1 }), role: roleText }, { additionalProperties: false }),
  { maxItems: 100 },
)

const keyDetails = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    scopes: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 300 }),
  },
  { additionalProperties: false },
)

export const invites: Resource<JsonObject, 'email' | 'publicUrl'> = defineResource<
  InviteData,
  'email' | 'publicUrl'
>({
  kind: kinds.invite,
  object: 'invite',
  title: 'invite',
  tag: 'Users',
  operation: 'invite',
  path: '/users/invites',
  aliases: ['/v1/admin/users/invites'],
  level: 'organisation',
  families: [{ family: 'organisation_users' }],
  slug: null,
  hasCommonFields: false,
  operations: ['create', 'list', 'read', 'delete'],
  fields: {
    email: { schema: Type.String({ maxLength: 255, pattern: '^[^@\\s]+@[^@\\s]+$' }), isRequired: true },
    role: { schema: roleText, isRequired: true },
    workspaces: { schema: workspacesSchema, default: [] },
    workspace_api_key_details: {
      schema: keyDetails,
      answer: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
    },
  },
  answers: {
    status: oneOf('pending', 'accepted', 'cancelled', 'expired'),
    invited_by: nullableText,
    created_at: Type.String(),
    expires_at: Type.String(),
    accepted_at: nullableText,
    invite_link: Type.String({ description: 'The link to accept the invite. Only this answer contains it.' }),
  },
  filters: personFilters,
  statuses: ['pending', 'accepted', 'cancelled', 'expired'],
  listed: ['pending', 'accepted', 'cancelled', 'expired'],
  hooks: {
    prepare: prepareInvite,
    attributes: ({ data }) => ({ role: [data.role], email: [data.email] }),
    keys: inviteKeys,
    present: (document, call) => presentInvite(document, call.nowMs),
  },
  routes: [
    {
      method: 'POST',
      path: '/:id/resend',
      operationId: 'inviteResend',
      summary: 'Resends an invite with a new link that is valid for seven days',
      action: 'create',
      auditAction: 'resend',
      answer: Type.Object({ invite_link: Type.String() }),
      handle: resend,
    },
  ],
})

async function prepareInvite(write: Write<InviteData, 'email' | 'publicUrl'>): Promise<void> {
  const { action, before, call, draft } = write
  await refuseUnlessByScim(call)
  if (action === 'archive') {
    if (before !== null && inviteStatus(before, call.nowMs) !== 'pending') {
      throw conflict(`The invite is ${inviteStatus(before, call.nowMs)}.`)
    }
    draft.status = 'cancelled'
    return
  }
  draft.data.email = draft.data.email.toLowerCase()
  await checkEmail(write)
  const role = readRole(draft.data.role, inviteRoles)
  if (role === null) write.fault('/role', mustBeOneOf(inviteRoles, draft.data.role))
  else draft.data.role = role
  await readWorkspaces(write)
  await readKeyDetails(write)
  await checkRoles(call, draft.data, (index) => (index === null ? '/role' : `/workspaces/${index}/role`))
  await openInvite(write)
}

async function checkEmail({ call, draft, fault }: Write<InviteData>): Promise<void> {
  const { email } = draft.data
  const { data } = await call.organisation()
  if (!isEmailAllowed(data, email))
    fault('/email', 'has a domain that is not among the allowed domains of the organisation')
  await refuseUser(call, email, '/email')
  const pending = await call.documents.findByKey(kinds.invite, pendingKey(email, call.organisationId))
  // Its expiry has not been recorded yet.
  if (pending !== null && inviteStatus(pending, call.nowMs) === 'expired') {
    await expireInvite(call.context, pending, call.nowMs)
  }
}

async function refuseUser(call: Call, email: string, param?: string): Promise<void> {
  const user = await call.documents.findByKey(kinds.user, emailKey(email))
  if (user !== null) throw conflict('A user with this e-mail address already exists.', param)
}

async function readWorkspaces({ call, draft, fault }: Write<InviteData>): Promise<void> {
  const read: InviteData['workspaces'] = []
  for (const [index, { id, role: written }] of draft.data.workspaces.entries()) {
    const workspace = await call.listedWorkspace(id)
    if (workspace === null) {
      const param = `/workspaces/${index}/id`
      fault(param, (await call.unknownWorkspace(id, param)).message)
      continue
    }
    const role: WorkspaceRole | null = readRole(written, workspaceRoles)
    if (role === null) fault(`/workspaces/${index}/role`, mustBeOneOf(workspaceRoles, written))
    else if (read.some((one) => one.id === workspace.id)) fault(`/workspaces/${index}/id`, 'is listed twice')
    else read.push({ id: workspace.id, role })
  }
  draft.data.workspaces = read
}

async function readKeyDetails({ call, draft, fault }: Write<InviteData>): Promise<void> {
  const details = draft.data.workspace_api_key_details
  if (details === null) return
  const at = '/workspace_api_key_details'
  if (draft.data.workspaces.length === 0) fault(at, 'requires workspaces')
  const read = readScopes(details.scopes, 'workspace-user', (param, message, code) =>
    fault(at + param, message, code),
  )
  try {
    for (const { id } of draft.data.workspaces)
      await checkGrant(call, 'workspace-user', { scopes: read, workspaceId: id })
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'forbidden') throw error
    throw forbidden(error.message, at + error.param)
  }
  draft.data.workspace_api_key_details = {
    name: details.name ?? null,
    scopes: read.map(({ scope }) => scope),
  }
}

async function openInvite({
  also,
  call,
  draft,
  shown,
}: Write<InviteData, 'email' | 'publicUrl'>): Promise<void> {
  const { hash, link } = createInviteToken(call.context.publicUrl())
  Object.assign(draft.data, {
    token_hash: hash,
    expires_at: toIso(call.nowMs + inviteMs),
    accepted_at: null,
    invited_by: writerOf(call),
  } satisfies Partial<InviteData>)
  draft.status = 'pending'
  draft.name = draft.data.email
  shown.invite_link = link
  also.push(...(await mailOf(call, draft.data, link)))
}

/** The mail with the link, if a mail server is configured. */
async function mailOf(
  call: Call<'email'>,
  { email, expires_at }: InviteData,
  link: string,
): Promise<DocumentWrite[]> {
  const { id, name } = await call.organisation()
  const organisation = { organisationId: id, organisationName: name ?? '' }
  return inviteMail(call.context, { ...organisation, email, link, expiresAt: expires_at })
}

/** The link grants the invite's role, so the sender must have at least its rights. */
async function checkRoles(
  call: Call,
  { role, workspaces }: Pick<InviteData, 'role' | 'workspaces'>,
  paramOf: (workspaceIndex: number | null) => string,
): Promise<void> {
  await checkRoleGrant(call, { organisation: role }, paramOf(null))
  for (const [index, { id, role: workspaceRole }] of workspaces.entries()) {
    await checkRoleGrant(call, { workspace: workspaceRole, workspaceId: id }, paramOf(index))
  }
}

async function checkResend(call: Call, { data }: InviteDocument): Promise<void> {
  await checkRoles(call, data, () => 'path/id')
  for (const { id } of data.workspaces) {
    const scopes = data.workspace_api_key_details?.scopes ?? []
    const lacked = await lackedScope(call, 'workspace-user', { scopes, workspaceId: id })
    if (lacked !== null)
      throw forbidden(`This invite grants the scope ${lacked}, which you do not have.`, 'path/id')
  }
}

async function resend(call: Call<'email' | 'publicUrl'>, invite: InviteDocument): Promise<JsonObject> {
  await refuseUnlessByScim(call)
  const status = inviteStatus(invite, call.nowMs)
  if (status !== 'pending' && status !== 'expired') throw conflict(`The invite is ${status}.`)
  await refuseUser(call, invite.data.email)
  await checkResend(call, invite)
  const { hash, link } = createInviteToken(call.context.publicUrl())
  const { version, ...rest } = invite
  const renewed = {
    ...rest,
    status: 'pending',
    last_updated_at: Math.max(call.nowMs, invite.last_updated_at),
    data: { ...invite.data, token_hash: hash, expires_at: toIso(call.nowMs + inviteMs) },
  }
  const document: DocumentDraft = { ...renewed, keys: inviteKeys(renewed), data: { ...renewed.data } }
  const mail = await mailOf(call, renewed.data, link)
  await call.commit([{ op: 'put', document, expected: version }, ...mail], {
    action: 'resend',
    resource_type: 'invite',
    resource_id: invite.id,
  })
  return { invite_link: link }
}
