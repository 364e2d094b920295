/** The rules of a write of an API key (management contract, section 10). */

import type { Fault, JsonObject, KeyClass } from '@gateway/contract'
import { limitOwners, type ManagedKeyData, resetUsage, type UsageLimit } from '@gateway/domain'
import { conflict, missingScope, type Write } from '../engine/index.ts'
import {
  applyMetadataSchema,
  checkReferences,
  completeDefaults,
  readAllowedIps,
  readRateLimits,
  readUsageLimits,
} from '../shared/index.ts'
import { type KeyDocument, keyResets, resetAt, statusOf } from './data.ts'
import { currentNotices } from './due.ts'
import { countedKey } from './limit.ts'
import { type RotationPolicy, readPolicy } from './policy.ts'
import { checkGrant, readScopes } from './scopes.ts'
import { createSecret } from './secret.ts'
import { chooseUser, isMember, readExpiry, settingsFor, type UserKeySettings } from './user.ts'

const noSettings: UserKeySettings = { ttlMs: null, rotationPeriod: null, limit: null }

export async function prepareKey(
  write: Write<ManagedKeyData, 'isAddressRange' | 'keyPrefix'>,
): Promise<void> {
  const { draft } = write
  if (write.action === 'archive') {
    draft.data.unread = null
    return
  }
  if (write.action === 'create') await checkPlace(write)
  const { workspace_id: workspaceId } = draft
  const isUserKey = draft.data.type === 'workspace-user'
  const settings = isUserKey && workspaceId !== null ? await settingsFor(write.call, workspaceId) : noSettings
  await readGrants(write)
  await readDefaults(write)
  readLimits(write)
  draft.data.allowed_ips = readAllowedIps(write.call, draft.data.allowed_ips, {
    param: '/allowed_ips',
    fault: write.fault,
  })
  draft.data.expires_at = readExpiry(write, settings.ttlMs)
  draft.data.rotation_policy = policyOf(write, settings)
  readStatus(write)
  if (write.action === 'create') createFirst(write)
  if (isUserKey && workspaceId !== null && write.action !== 'update') {
    const userId = draft.data.user_id ?? ''
    if (write.action === 'restore' && !(await isMember(write.call, userId, workspaceId))) {
      throw conflict('The user of this key is no longer a member of the workspace.')
    }
  }
  await countLive(write, settings.limit)
  if (write.body.reset_usage === true) noteReset(write)
}

/** Counts a user's key that becomes live, whether new or restored, towards the limit. */
async function countLive(write: Write<ManagedKeyData>, limit: number | null): Promise<void> {
  const { before, call, draft, also } = write
  const { workspace_id: workspaceId } = draft
  const { user_id: userId } = draft.data
  const isLive = (status: string) => status !== 'archived' && status !== 'expired'
  const wasLive = before !== null && isLive(statusOf(before, call.nowMs))
  if (limit === null || workspaceId === null || userId === null || wasLive || !isLive(draft.status)) return
  also.push(await countedKey(call, { workspaceId, userId, keyId: draft.id, limit }))
}

/** Checks that class, workspace and user match. */
async function checkPlace(write: Write): Promise<void> {
  const { call, draft, fault } = write
  const keyClass = draft.data.type as KeyClass
  if (keyClass === 'organisation-service') {
    // A credential bound to a workspace cannot create objects outside it, regardless of the body.
    if (call.identity.boundWorkspaceId !== null) throw missingScope(['organisation_service_api_keys.create'])
    if (draft.workspace_id !== null) fault('/workspace_id', 'must be omitted for a key of the organisation')
  } else if (draft.workspace_id === null) fault('/workspace_id', 'is required')
  if (keyClass === 'workspace-user') {
    if (draft.workspace_id !== null) await chooseUser(write, draft.workspace_id)
  } else if (draft.data.user_id !== null)
    fault('/user_id', 'is only allowed for keys of the class workspace-user')
}

async function readGrants(write: Write): Promise<void> {
  const { body, before, call, draft, fault } = write
  if (!write.isGiven('scopes')) return
  const keyClass = draft.data.type as KeyClass
  const read = readScopes(body.scopes as string[], keyClass, fault)
  const had = new Set(before === null ? [] : (before.data.scopes as string[]))
  await checkGrant(call, keyClass, {
    scopes: read.filter(({ scope }) => !had.has(scope)),
    workspaceId: draft.workspace_id,
  })
  draft.data.scopes = read.map(({ scope }) => scope)
}

async function readDefaults(write: Write): Promise<void> {
  const { before, call, draft, fault } = write
  const defaults = completeDefaults(draft.data.defaults as JsonObject | null)
  if (before === null || write.isGiven('defaults')) {
    await applyMetadataSchema(call, 'api_key', { defaults, fault })
    await checkReferences(call, defaults, { workspaceId: draft.workspace_id, fault })
  }
  draft.data.defaults = defaults
}

function readLimits(write: Write): void {
  const { body, before, call, draft, fault } = write
  const faults: Fault[] = []
  const { nowMs } = call
  if (before === null || write.isGiven('usage_limits')) {
    const stored = (before?.data.usage_limits ?? []) as UsageLimit[]
    draft.data.usage_limits = readUsageLimits(body.usage_limits, stored, {
      param: '/usage_limits',
      faults,
      nowMs,
    })
  }
  if (before === null || write.isGiven('rate_limits')) {
    draft.data.rate_limits = readRateLimits(body.rate_limits, { param: '/rate_limits', faults })
  }
  for (const { param, code, message } of faults) fault(param, message, code)
}

function policyOf(write: Write, settings: UserKeySettings): RotationPolicy | null {
  const { body, before, call, draft, fault } = write
  const stored = (before?.data.rotation_policy ?? null) as RotationPolicy | null
  return readPolicy({
    merged: draft.data.rotation_policy as JsonObject | null,
    given: body.rotation_policy as JsonObject | null | undefined,
    before: stored,
    enforced: settings.rotationPeriod,
    isUpdate: before !== null,
    nowMs: call.nowMs,
    fault,
  })
}

/** A later date reactivates an expired key. Restoring a key does not restore its old secrets. */
function readStatus(write: Write<ManagedKeyData>): void {
  const { action, call, draft } = write
  const { expires_at: expiry, secrets } = draft.data
  const isOver = expiry !== null && Date.parse(expiry) <= call.nowMs
  if (draft.status !== 'archived') draft.status = isOver ? 'expired' : 'active'
  if (action === 'restore') draft.data.secrets = secrets.slice(0, 1)
  if (draft.status === 'archived') draft.data.unread = null
  if (action !== 'create') draft.data.notices = currentNotices(draft.data)
}

function createFirst(write: Write<ManagedKeyData, 'keyPrefix'>): void {
  const { call, draft, shown } = write
  const { text, stored } = createSecret(call.context.keyPrefix, 1)
  Object.assign(draft.data, {
    secrets: [stored],
    creation_mode: call.identity.type === 'session' ? 'ui' : 'api',
    last_rotated_at: null,
    last_reset_at: null,
    unread: null,
    notices: [],
  } satisfies Partial<ManagedKeyData>)
  shown.key = text
}

/** Records when the counters were reset; they are reset after the commit. */
function noteReset({ also, call, draft, notes }: Write<ManagedKeyData>): void {
  Object.assign(draft.data, resetAt(draft.data, call.nowMs))
  also.push(...keyResets(draft, call.nowMs))
  notes.set('reset', true)
}

/** Resets the counters of the key's limits if the caller requested it. */
export async function resetAfter(
  { call, notes }: Write<ManagedKeyData, 'counters'>,
  stored: KeyDocument,
): Promise<void> {
  if (notes.get('reset') !== true) return
  await resetUsage(call.context.counters, limitOwners.apiKey(stored.id), {
    limits: stored.data,
    nowMs: call.nowMs,
  })
}
