/**
 * POST `/organisations`: only with the admin key. Creates a default workspace, and an invite for the owner, which is
 * shown once.
 */

import { type DocumentDraft, GatewayError, type JsonObject, type Route } from '@gateway/contract'
import { type InviteData, isOfKind, kinds, slugKey, timeOrderedId } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import {
  baseView,
  type Call,
  conflict,
  forbidden,
  type ManagementContext,
  nameSchema,
  plainRoute,
  present,
  slugFault,
  slugSchema,
  slugsFor,
  toIso,
} from '../engine/index.ts'
import { createInviteToken, emailKey, inviteKeys, inviteMs, presentInvite } from '../people/index.ts'
import { inviteMail } from '../shared/index.ts'
import { organisationDrafts } from './first-organisation.ts'
import { organisation } from './organisation.ts'

const body = Type.Object(
  {
    name: nameSchema,
    slug: Type.Optional(slugSchema),
    owner_email: Type.String({ maxLength: 255, pattern: '^[^@\\s]+@[^@\\s]+$' }),
  },
  { additionalProperties: false },
)

const anyObject = Type.Object({}, { additionalProperties: true })

/** The capabilities that the invitation and the organisation's hooks use. */
type Need = 'checkUrl' | 'email' | 'isAddressRange' | 'publicUrl'

export function createOrganisationRoute(context: ManagementContext<Need>, answer: TSchema): Route {
  const more = { default_workspace: anyObject, invite: anyObject, invite_link: Type.String() }
  return plainRoute(context, {
    method: 'POST',
    path: '/v1/organisations',
    operationId: 'organisationCreate',
    summary: 'Creates an organisation with a default workspace and invites its owner',
    tag: 'Organisations',
    scope: null,
    body,
    answer: Type.Object({ ...answer.properties, ...more }, { additionalProperties: false }),
    audit: { action: 'create', resource_type: 'organisation' },
    authorise(call) {
      if (call.identity.type !== 'admin') throw forbidden('Organisations are made with the admin key.')
    },
    handle: create,
  })
}

async function create(call: Call<Need>): Promise<JsonObject> {
  const name = String(call.body.name)
  const email = String(call.body.owner_email).toLowerCase()
  if ((await call.documents.findByKey(kinds.user, emailKey(email))) !== null) {
    throw conflict('A user with this e-mail address already exists.', '/owner_email')
  }
  const slug = await chooseSlug(call, name)
  const made = {
    organisationId: timeOrderedId(call.nowMs),
    workspaceId: timeOrderedId(call.nowMs),
    name,
    slug,
    nowMs: call.nowMs,
  }
  const drafts = organisationDrafts(made)
  const { invite, link } = inviteOwner(call, made.organisationId, email)
  const stored = await call.commit(
    [
      ...[drafts.organisation, drafts.workspace, invite].map((document) => ({
        op: 'put' as const,
        document,
        expected: 0,
      })),
      ...inviteMail(call.context, {
        organisationId: made.organisationId,
        organisationName: name,
        email,
        link,
        expiresAt: toIso(call.nowMs + inviteMs),
      }),
    ],
    {
      action: 'create',
      resource_type: 'organisation',
      resource_id: made.organisationId,
      after: baseView(organisation, drafts.organisation),
    },
  )
  const [document, workspace, invited] = stored
  if (
    document === undefined ||
    workspace === undefined ||
    invited === undefined ||
    !isOfKind(invited, kinds.invite)
  ) {
    throw new GatewayError('internal_error', 'The store returned fewer documents than were written.')
  }
  return {
    ...(await present(organisation, document, { call, view: 'one' })),
    default_workspace: { id: workspace.id, object: 'workspace', slug: workspace.slug, name: workspace.name },
    invite: presentInvite(invited, call.nowMs),
    invite_link: link,
  }
}

async function chooseSlug(call: Call, name: string): Promise<string> {
  const isFree = async (slug: string) =>
    (await call.documents.findByKey(kinds.organisation, slugKey('organisations', slug))) === null
  const { slug: given } = call.body
  if (typeof given === 'string') {
    const fault = slugFault(given)
    if (fault !== null) throw new GatewayError('invalid_body', `/slug: ${fault}`, { param: '/slug' })
    if (!(await isFree(given)))
      throw conflict(`Another organisation already has the slug "${given}".`, '/slug')
    return given
  }
  for (const slug of slugsFor(name, '')) if (await isFree(slug)) return slug
  throw new GatewayError('internal_error', 'No free slug was found for this name. Send a `slug`.')
}

function inviteOwner(
  call: Call<'publicUrl'>,
  organisationId: string,
  email: string,
): { invite: DocumentDraft; link: string } {
  const { hash, link } = createInviteToken(call.context.publicUrl())
  const data: InviteData = {
    email,
    role: 'owner',
    workspaces: [],
    workspace_api_key_details: null,
    token_hash: hash,
    expires_at: toIso(call.nowMs + inviteMs),
    accepted_at: null,
    invited_by: null,
  }
  const invite = {
    kind: kinds.invite,
    id: timeOrderedId(call.nowMs),
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    name: email,
    status: 'pending',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    attributes: { role: ['owner'], email: [email] },
    data,
  }
  return { invite: { ...invite, data: { ...data }, keys: inviteKeys({ ...invite, keys: [] }) }, link }
}
