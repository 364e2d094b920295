/** Workspaces as a resource (management.md §6). */

import type { StoredDocument } from '@gateway/contract'
import { kinds, type WorkspaceData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { enforceRotation } from '../api-keys/index.ts'
import { type Call, commaList, defineResource, description, forbidden, listAll } from '../engine/index.ts'
import {
  rateLimitsAnswer,
  rateLimitsInput,
  usageLimitsAnswer,
  usageLimitsInput,
  workspaceDefaultsSchema,
  workspaceSettingsSchema,
} from '../shared/index.ts'
import { usersOfWorkspace } from './delete-workspace.ts'
import { memberSchema } from './member.ts'
import { memberRoutes } from './member-routes.ts'
import { prepareWorkspace, resetAfter } from './prepare-workspace.ts'
import { presentWorkspace } from './present-workspace.ts'

type WorkspaceDocument = StoredDocument<WorkspaceData>

/** The unique key that prevents two live workspaces of an organisation from having the same name. */
export const workspaceNameKey = (organisationId: string, name: string) =>
  `name:${organisationId}/${name.toLowerCase()}`

const anyObject = Type.Object({}, { additionalProperties: true })

/** An id or an e-mail address, or an object with one. Members as answers show them are accepted too. */
const userSchema = Type.Union([
  Type.String({ minLength: 1, maxLength: 320 }),
  Type.Object(Type.Partial(memberSchema).properties, { additionalProperties: false }),
])

export const workspaces = defineResource<WorkspaceData, 'counters' | 'keyPrefix'>({
  kind: kinds.workspace,
  object: 'workspace',
  title: 'workspace',
  tag: 'Workspaces',
  operation: 'workspace',
  path: '/workspaces',
  aliases: ['/workspaces', '/v1/admin/workspaces'],
  level: 'organisation',
  families: [{ family: 'workspaces' }],
  slug: { prefix: 'ws-' },
  fields: {
    description: { schema: description },
    icon: { schema: Type.String({ maxLength: 1024 }) },
    defaults: {
      schema: workspaceDefaultsSchema,
      isNullable: false,
      default: {},
      merge: 'one',
      replaced: ['metadata'],
      answer: anyObject,
    },
    settings: {
      schema: workspaceSettingsSchema,
      isNullable: false,
      default: {},
      merge: 'two',
      answer: anyObject,
    },
    users: { schema: Type.Array(userSchema, { maxItems: 100 }), isTransient: true },
    usage_limits: { schema: usageLimitsInput, isNullable: true, default: [], answer: usageLimitsAnswer },
    rate_limits: { schema: rateLimitsInput, isNullable: true, default: [], answer: rateLimitsAnswer },
    reset_usage: { schema: Type.Boolean(), writable: 'update', isTransient: true },
  },
  answers: {
    is_default: Type.Boolean(),
    last_reset_at: Type.Union([Type.String(), Type.Null()]),
    effective_settings: anyObject,
    users: Type.Array(memberSchema),
  },
  filters: {
    name: { schema: Type.String({ minLength: 1, maxLength: 255 }), apply: filterByName },
    exact_name: {
      schema: Type.String({ minLength: 1, maxLength: 255 }),
      apply: (value, filter) => {
        filter.attributes = { ...filter.attributes, name: [value] }
      },
    },
  },
  writableStatuses: ['active'],
  hooks: {
    prepare: prepareWorkspace,
    attributes: ({ name }) => (name === null ? {} : { name: [name] }),
    keys: ({ organisation_id, name }) =>
      organisation_id === null || name === null ? [] : [workspaceNameKey(organisation_id, name)],
    placeOf: ({ id }) => id,
    present: presentWorkspace,
    inUse: usersOfWorkspace,
    narrowList,
    authorise,
    async after(write, stored) {
      await resetAfter(write, stored)
      if (write.isGiven('settings')) await enforceRotation(write.call.context, write.call.organisationId)
    },
  },
  routes: memberRoutes,
})

async function filterByName(
  value: string,
  filter: Parameters<Call['documents']['list']>[1],
  call: Call,
): Promise<void> {
  const wanted = value.toLowerCase()
  const isNamed = ({ name }: { name: string | null }) => name?.toLowerCase().includes(wanted) === true
  const stored = await listAll(call, kinds.workspace, { organisation_id: call.organisationId, search: value })
  const declared = call.context.fileDocuments().filter(({ kind }) => kind === kinds.workspace)
  const ids = [...stored, ...declared].filter(isNamed).map(({ id }) => id)
  filter.ids = filter.ids === undefined ? ids : filter.ids.filter((id) => ids.includes(id))
}

const asksArchived = ({ request }: Call) => commaList(request.query.status ?? '').includes('archived')

/** Lists the caller's workspaces. Only owners and admins see archived ones. */
async function narrowList(filter: Parameters<Call['documents']['list']>[1], call: Call): Promise<void> {
  refuseArchived(call)
  const visible = await call.visibleWorkspaces()
  if (visible !== null) {
    filter.ids = filter.ids === undefined ? visible : filter.ids.filter((id) => visible.includes(id))
  }
}

function refuseArchived(call: Call): void {
  if (asksArchived(call) && !call.seesAllWorkspaces()) {
    throw forbidden('Only owners and admins can list archived workspaces.', 'query/status')
  }
}

function authorise(call: Call, action: string, workspace: WorkspaceDocument): void {
  if (action === 'read') refuseArchived(call)
  if (action !== 'update' || workspace.status !== 'archived') return
  if (!call.seesAllWorkspaces()) throw forbidden('Only owners and admins can restore a workspace.', '/status')
}
