/** Shared by writes of providers and virtual keys: integration, limits, expiry, and archiving dependent objects. */

import type { DocumentDraft, Fault, StoredDocument } from '@gateway/contract'
import {
  type IntegrationData,
  kinds,
  limitOwners,
  limitResets,
  type ProviderData,
  resetUsage,
  type UsageLimit,
} from '@gateway/domain'
import { isFileDocument, toIso, unknownInBody, type Write } from '../engine/index.ts'
import { findIntegration, indexIntegration, isUsableBy } from '../integrations/index.ts'
import { parseTime, readRateLimits, readUsageLimits } from '../shared/index.ts'
import { isExpired } from './expiry.ts'

type ProviderWrite = Write<ProviderData, 'counters'>

/** Reads limits, expiry and usage from the body. */
export async function takeCommon(write: ProviderWrite): Promise<void> {
  const { draft, before, body, call } = write
  const { nowMs } = call
  const faults: Fault[] = []
  if (before === null || write.isGiven('usage_limits')) {
    const stored: UsageLimit[] = before?.data.usage_limits ?? []
    draft.data.usage_limits = readUsageLimits(body.usage_limits, stored, {
      param: '/usage_limits',
      faults,
      nowMs,
    })
  }
  if (before === null || write.isGiven('rate_limits')) {
    draft.data.rate_limits = readRateLimits(body.rate_limits, { param: '/rate_limits', faults })
  }
  for (const { param, message, code } of faults) write.fault(param, message, code)
  if (typeof body.expires_at === 'string') {
    const timeMs = parseTime(body.expires_at)
    if (timeMs === null) write.fault('/expires_at', 'must be an ISO 8601 time')
    else draft.data.expires_at = toIso(timeMs)
  }
  draft.data.last_reset_at ??= null
  draft.status = isExpired(draft.data, nowMs) ? 'expired' : 'active'
  if (body.reset_usage === true && faults.length === 0) await reset(write)
}

async function reset({ also, draft, call }: ProviderWrite): Promise<void> {
  const at = toIso(call.nowMs)
  await resetUsage(call.context.counters, limitOwners.provider(draft.id), {
    limits: draft.data,
    nowMs: call.nowMs,
  })
  draft.data.last_reset_at = at
  draft.data.usage_limits = draft.data.usage_limits.map((limit) => ({ ...limit, last_reset_at: at }))
  const { id, organisation_id, workspace_id, data } = draft
  const subject = { type: 'provider', id }
  const limits = data.usage_limits
  also.push(...limitResets({ organisation_id, workspace_id, subject, limits }, call.nowMs))
}

/** The integration in the body; the workspace must have access to it. Errors: `not_found`. */
export async function takeIntegration(write: ProviderWrite, named: string): Promise<void> {
  const { draft, before, call } = write
  const found = await findIntegration(call, named)
  const isOwn = found !== null && found.id === before?.data.integration_id
  const isFree =
    found !== null && found.data.is_hidden !== true && isUsableBy(found, draft.workspace_id ?? '')
  if (found === null || (!isOwn && !isFree)) {
    const reference = { kind: kinds.integration, written: named, workspaceId: draft.workspace_id }
    throw await unknownInBody(call, '/integration_id', reference)
  }
  if (isFileDocument(found)) {
    write.fault('/integration_id', 'is declared in the config file: declare its providers there too')
    return
  }
  if (before !== null && !isOwn) await archiveHidden(write, before.data.integration_id)
  draft.data.integration_id = found.id
  draft.data.provider = found.data.ai_provider_id
}

/** Archives the integration that was created for a virtual key, together with the virtual key. */
export async function archiveHidden(
  { draft, also, call }: ProviderWrite,
  integrationId = draft.data.integration_id,
): Promise<void> {
  const integration = await integrationOf(call, integrationId)
  if (integration?.data.is_hidden !== true) return
  const document: DocumentDraft = {
    ...indexIntegration(integration),
    status: 'archived',
    keys: [],
    last_updated_at: call.nowMs,
  }
  also.push({ op: 'put', document, expected: integration.version })
}

/** The integration as stored, live or archived. */
export const integrationOf = (
  call: ProviderWrite['call'],
  id: string,
): Promise<StoredDocument<IntegrationData> | null> => call.documents.get(kinds.integration, id)
