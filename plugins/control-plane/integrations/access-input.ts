/** Merges a body's workspace access of an integration with the stored one (management contract, section 11). */

import { type Fault, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import type { IntegrationAccessData, IntegrationData, Limits } from '@gateway/domain'
import { type Call, toIso } from '../engine/index.ts'
import { readRateLimits, readUsageLimits } from '../shared/index.ts'

type Integration = StoredDocument<IntegrationData>

/** The access of all workspaces in the body, which is stored on the integration itself. */
export function takeTemplate(call: Call, { data }: Integration, faults: Fault[]): void {
  const { global_workspace_access: given } = call.body
  if (given === undefined) return
  if (!isObject(given)) {
    data.global_workspace_access = null
    return
  }
  const before = data.global_workspace_access
  data.global_workspace_access = {
    enabled: given.enabled === true,
    ...readLimits(call, given, { before, param: '/global_workspace_access', faults }),
  }
}

/** The access of one workspace in the body. */
export interface GivenAccess {
  data: IntegrationAccessData
  resets: boolean
  createsProvider: boolean
  providerSlug: string | null
  param: string
}

/** Access by workspace. Errors for unknown workspaces and for duplicates. */
export async function readAccesses(
  call: Call,
  stored: ReadonlyMap<string, StoredDocument<IntegrationAccessData>>,
  faults: Fault[],
): Promise<Map<string, GivenAccess>> {
  const found = new Map<string, GivenAccess>()
  const listed = (Array.isArray(call.body.workspaces) ? call.body.workspaces : []).filter(isObject)
  for (const [index, entry] of listed.entries()) {
    const param = `/workspaces/${index}`
    const workspace = await call.listedWorkspace(String(entry.id))
    if (workspace === null) {
      faults.push({
        param: `${param}/id`,
        code: 'invalid_body',
        message: 'is not a workspace of this organisation',
      })
      continue
    }
    if (found.has(workspace.id)) {
      faults.push({ param: `${param}/id`, code: 'invalid_body', message: 'is named twice' })
      continue
    }
    const before = stored.get(workspace.id)?.data
    found.set(workspace.id, readAccess(call, entry, { before, param, faults }))
  }
  return found
}

interface ReadAccessOptions {
  before: IntegrationAccessData | undefined
  param: string
  faults: Fault[]
}

function readAccess(
  call: Call,
  entry: JsonObject,
  { before, param, faults }: ReadAccessOptions,
): GivenAccess {
  const resets = entry.reset_usage === true
  const { create_default_provider: ofAll = true, default_provider_slug: slugOfAll = null } = call.body
  const slug = entry.default_provider_slug ?? slugOfAll
  return {
    data: {
      integration_id: '',
      enabled: entry.enabled === true,
      ...readLimits(call, entry, { before: before ?? null, param, faults }),
      last_reset_at: resets ? toIso(call.nowMs) : (before?.last_reset_at ?? null),
    },
    resets,
    createsProvider: (entry.create_default_provider ?? ofAll) === true,
    providerSlug: typeof slug === 'string' ? slug : null,
    param:
      entry.default_provider_slug === undefined ? '/default_provider_slug' : `${param}/default_provider_slug`,
  }
}

interface ReadLimitsOptions {
  before: Limits | null
  param: string
  faults: Fault[]
}

function readLimits(call: Call, given: JsonObject, { before, param, faults }: ReadLimitsOptions): Limits {
  const { nowMs } = call
  const usage = { param: `${param}/usage_limits`, faults, nowMs }
  return {
    usage_limits:
      given.usage_limits === undefined
        ? (before?.usage_limits ?? [])
        : readUsageLimits(given.usage_limits, before?.usage_limits ?? [], usage),
    rate_limits:
      given.rate_limits === undefined
        ? (before?.rate_limits ?? [])
        : readRateLimits(given.rate_limits, { param: `${param}/rate_limits`, faults }),
  }
}

/** Removes the access of a workspace that an overriding list omits. */
export function withdrawn(
  workspaceId: string,
  access: StoredDocument<IntegrationAccessData> | undefined,
): GivenAccess {
  const before = access?.data
  return {
    data: {
      integration_id: '',
      usage_limits: before?.usage_limits ?? [],
      rate_limits: before?.rate_limits ?? [],
      last_reset_at: before?.last_reset_at ?? null,
      enabled: false,
    },
    resets: false,
    createsProvider: false,
    providerSlug: null,
    param: `/workspaces/${workspaceId}`,
  }
}
