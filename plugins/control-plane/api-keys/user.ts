/** The owner of a workspace-user key (management contract, section 10), and the settings for such keys. */

import type { JsonObject } from '@gateway/contract'
import { effectiveSettings, kinds } from '@gateway/domain'
import { type Call, forbidden, type Write } from '../engine/index.ts'
import { parseTime } from '../shared/index.ts'
import { isoOf } from './data.ts'
import type { RotationPeriod } from './policy.ts'

const userKeyFamily = 'workspace_user_api_keys'

/** The user that a new key is for. Errors at `/user_id`; `forbidden` for another user's key. */
export async function chooseUser(write: Write, workspaceId: string): Promise<void> {
  const { call, draft, fault } = write
  const given = draft.data.user_id
  const userId = typeof given === 'string' ? given : call.identity.userId
  if (userId === null) return fault('/user_id', 'is required')
  const reach = await call.reach(`${userKeyFamily}.create`, workspaceId)
  if (reach === 'own' && userId !== call.identity.userId) {
    throw forbidden('You cannot create a key for another user.', '/user_id')
  }
  draft.data.user_id = userId
  if (!(await isMember(call, userId, workspaceId))) fault('/user_id', 'is not a member of the workspace')
}

/** Owners and organisation admins belong to every workspace. */
export async function isMember(call: Call, userId: string, workspaceId: string): Promise<boolean> {
  const user = await call.documents.get(kinds.user, userId)
  if (user === null || user.organisation_id !== call.organisationId || user.status !== 'active') return false
  if (user.data.role !== 'member') return true
  const member = await call.documents.findByKey(kinds.member, `member:${workspaceId}/${userId}`)
  return member !== null && member.data.user_id === userId
}

export interface UserKeySettings {
  ttlMs: number | null
  rotationPeriod: RotationPeriod | null
  limit: number | null
}

/** Effective settings: the workspace's where it may override the organisation's. */
export function userKeySettings(
  organisation: Configured | null,
  workspace: Configured | null,
): UserKeySettings {
  const settings = effectiveSettings(settingsOf(organisation), settingsOf(workspace))
  const { user_api_key_ttl: ttl, user_api_key_rotation_period: period, user_api_key_limit: limit } = settings
  return {
    ttlMs: typeof ttl === 'number' ? ttl * 1000 : null,
    rotationPeriod: period === 'weekly' || period === 'monthly' ? period : null,
    limit: typeof limit === 'number' ? limit : null,
  }
}

/** A document with settings. Documents stored before settings existed have none. */
interface Configured {
  data: { settings?: JsonObject }
}

const settingsOf = (document: Configured | null): { settings: JsonObject } | null =>
  document?.data.settings === undefined ? null : { settings: document.data.settings }

/** The settings that apply to the keys of a workspace. */
export async function settingsFor(call: Call, workspaceId: string): Promise<UserKeySettings> {
  const workspace = await call.documents.get(kinds.workspace, workspaceId)
  const organisation = await call.documents.get(kinds.organisation, call.organisationId)
  return userKeySettings(organisation, workspace)
}

/** When a key expires: in the future, and within the maximum lifetime of user keys. Errors at `/expires_at`. */
export function readExpiry(write: Write, ttlMs: number | null): string | null {
  const { body, before, draft, call, fault } = write
  const latest = ttlMs === null ? null : draft.created_at + ttlMs
  const longest = latest === null ? null : isoOf(latest)
  if (!write.isGiven('expires_at')) {
    if (before !== null) return before.data.expires_at as string | null
    return longest
  }
  const given = body.expires_at
  if (given === before?.data.expires_at) return given as string | null
  if (given === null || given === undefined) return longest
  const timeMs = parseTime(String(given))
  if (timeMs === null || timeMs <= call.nowMs) {
    fault('/expires_at', 'must be an ISO 8601 time in the future')
    return null
  }
  if (latest !== null && timeMs > latest) {
    fault('/expires_at', `must not be later than ${longest}, the maximum lifetime of user keys`)
  }
  return isoOf(timeMs)
}
