/** Work for writes of a workspace: limits, references, its own settings, members, resets. */

import { type Counters, type Fault, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import {
  categoryOf,
  isSame,
  kinds,
  limitOwners,
  limitResets,
  organisationSettings,
  resetUsage,
  type WorkspaceData,
} from '@gateway/domain'
import { autoKeysFor } from '../api-keys/index.ts'
import { conflict, type Write } from '../engine/index.ts'
import {
  applyMetadataSchema,
  checkReferences,
  completeDefaults,
  readRateLimits,
  readUsageLimits,
} from '../shared/index.ts'
import { archiveContents, restoreMembers } from './delete-workspace.ts'
import { checkRoles, type Joining, joinWrites, readUsers } from './join.ts'

type WorkspaceDocument = StoredDocument<WorkspaceData>

/** Errors: those of the write, `conflict`, `forbidden`. */
export async function prepareWorkspace(write: Write<WorkspaceData, 'keyPrefix'>): Promise<void> {
  const { draft, call, action, before } = write
  if (action === 'archive') {
    write.also.push(...(await archiveContents(write)))
    return
  }
  if (action === 'restore') write.also.push(...(await restoreMembers(write)))
  const fault = (one: Fault) => write.fault(one.param, one.message, one.code)
  const faults: Fault[] = []
  const { data } = draft
  data.last_reset_at ??= null
  if (write.isGiven('usage_limits') || action === 'create') {
    const param = '/usage_limits'
    const old = before?.data.usage_limits ?? []
    data.usage_limits = readUsageLimits(write.body.usage_limits, old, { param, faults, nowMs: call.nowMs })
  }
  if (write.isGiven('rate_limits') || action === 'create') {
    data.rate_limits = readRateLimits(write.body.rate_limits, { param: '/rate_limits', faults })
  }
  for (const one of faults) fault(one)
  const userConfig = data.defaults?.user_api_key_config ?? null
  const defaults = { ...completeDefaults(data.defaults), user_api_key_config: userConfig }
  data.defaults = defaults
  if (write.isGiven('defaults'))
    await checkReferences(call, data.defaults, { workspaceId: draft.id, fault: write.fault })
  if (write.isGiven('defaults') || action === 'create') {
    await applyMetadataSchema(call, 'workspace', { defaults, fault: write.fault })
  }
  await takeSettings(write)
  checkFileName(write)
  await takeUsers(write, fault)
  if (write.body.reset_usage === true) takeReset(write)
}

/** A workspace cannot set a category that the organisation does not let it override. `null` inherits again. */
async function takeSettings(write: Write<WorkspaceData>): Promise<void> {
  const { before, draft, body, call } = write
  draft.data.settings = withoutNulls(draft.data.settings ?? {})
  if (!isObject(body.settings)) return
  const { workspace_overrides: overrides } = organisationSettings((await call.organisation()).data)
  const allowed = Array.isArray(overrides) ? overrides : []
  const { security_settings: security, ...plain } = body.settings
  const { security_settings: ownSecurity, ...own } = before?.data.settings ?? {}
  const had = (name: string) => own[name] ?? (isObject(ownSecurity) ? ownSecurity[name] : undefined)
  const given = [
    ...Object.entries(plain).map(([name, value]) => ({ name, value, param: `/settings/${name}` })),
    ...Object.entries(isObject(security) ? security : {}).map(([name, value]) => ({
      name,
      value,
      param: `/settings/security_settings/${name}`,
    })),
  ]
  for (const { name, value, param } of given) {
    const category = categoryOf(name)
    // Settings from the time when the organisation allowed them may be sent back unchanged.
    if (isSame(value, had(name))) continue
    if (value === null || (category !== null && allowed.includes(category))) continue
    write.fault(
      param,
      `cannot be set by a workspace: "${category ?? name}" is not among the organisation's workspace_overrides`,
    )
  }
}

const withoutNulls = (settings: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]),
  )

function checkFileName({ draft, call }: Write<WorkspaceData>): void {
  const isTaken = call.context
    .fileDocuments()
    .some(
      ({ kind, id, name }) =>
        kind === kinds.workspace && id !== draft.id && name?.toLowerCase() === draft.name?.toLowerCase(),
    )
  if (isTaken)
    throw conflict(
      `The config file ${call.context.filePath} declares a workspace with this name. Choose another name.`,
      '/name',
    )
}

async function takeUsers(
  write: Write<WorkspaceData, 'keyPrefix'>,
  fault: (fault: Fault) => void,
): Promise<void> {
  const { body, call, draft, action } = write
  if (!Array.isArray(body.users)) return
  const isNew = action === 'create'
  const joining: Joining[] = await readUsers(call, isNew ? null : draft.id, { given: body.users, fault })
  const changed = joining.filter(({ role, present }) => present === null || present.data.role !== role)
  for (const { present } of isNew ? [] : changed) {
    await call.require([`workspace_users.${present === null ? 'create' : 'update'}`], draft.id)
  }
  await checkRoles(call, isNew ? null : draft.id, changed)
  write.also.push(...joinWrites(call, draft.id, changed), ...(await autoKeysFor(call, draft, changed)))
}

function takeReset({ also, draft, call, notes }: Write<WorkspaceData>): void {
  const at = new Date(call.nowMs).toISOString()
  draft.data.last_reset_at = at
  draft.data.usage_limits = draft.data.usage_limits.map((limit) => ({ ...limit, last_reset_at: at }))
  const { id, organisation_id, data } = draft
  const subject = { type: 'workspace', id }
  const limits = data.usage_limits
  also.push(...limitResets({ organisation_id, workspace_id: id, subject, limits }, call.nowMs))
  notes.set('reset', true)
}

/** Runs after the commit: if a counter could not be reset, the caller gets an error and repeats the request. */
export async function resetAfter(
  { notes, call }: Write<WorkspaceData, 'counters'>,
  stored: WorkspaceDocument,
): Promise<void> {
  if (notes.get('reset') !== true) return
  const counters: Counters = call.context.counters
  await resetUsage(counters, limitOwners.workspace(stored.id), { limits: stored.data, nowMs: call.nowMs })
}
