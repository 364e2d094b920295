/**
 * Notes the resets of usage limits on what has them (management contract, sections 4 and 16): counters turn to a new
 * period by themselves, this job says so in the documents and in the audit log, and empties the counters of periods that
 * are over. All periods begin at midnight UTC, so that it looks once a day, and once after each start.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Counters, Job, JsonObject, ServiceContext, StoredDocument } from '@gateway/contract'
import {
  kinds,
  limitOwners,
  rolledOver,
  type UsageLimit,
  usageCounterKey,
  usageCounterPrefix,
} from '@gateway/core/domain'
import { commitAsSystem } from '../engine/audit.ts'

const dayMs = 86_400_000
const pageSize = 500
/** Between two pages: requests come first, and a day is long. */
const pauseMs = 50

/** What has usage limits: how the audit log names it, and whose counters they are. */
interface Holder {
  kind: string
  resourceType: string
  /** Null: its counters go by other names. */
  owner(document: StoredDocument): string | null
}

const holders: readonly Holder[] = [
  { kind: kinds.apiKey, resourceType: 'api-key', owner: ({ id }) => limitOwners.apiKey(id) },
  { kind: kinds.workspace, resourceType: 'workspace', owner: ({ id }) => limitOwners.workspace(id) },
  { kind: kinds.provider, resourceType: 'provider', owner: ({ id }) => limitOwners.provider(id) },
  {
    kind: kinds.integrationAccess,
    resourceType: 'integration-workspace',
    owner: ({ workspace_id, data }) =>
      workspace_id === null ? null : limitOwners.integration(String(data.integration_id), workspace_id),
  },
  {
    kind: kinds.usageLimitPolicy,
    resourceType: 'policy-usage-limits',
    owner: ({ id }) => limitOwners.usagePolicy(id),
  },
]

export function createUsageResets(context: ServiceContext): Job {
  let doneDay = -1
  return {
    name: 'usage-resets',
    intervalMs: 60_000,
    async run(nowMs) {
      const day = Math.floor(nowMs / dayMs)
      if (day === doneDay) return
      for (const holder of holders) await resetAll(context, holder, nowMs)
      // Only then: what failed is made up for at the next look.
      doneDay = day
    },
  }
}

async function resetAll(context: ServiceContext, holder: Holder, nowMs: number): Promise<void> {
  let after: { kind: string; id: string } | null = null
  for (;;) {
    const page: StoredDocument[] = await context.ports.documents.scan(holder.kind, after, pageSize)
    for (const document of page)
      if (document.status !== 'archived') await reset(context, holder, document, nowMs)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = { kind: last.kind, id: last.id }
    await sleep(pauseMs)
  }
}

/** A policy is its one limit. */
const limitsOf = ({ kind, data }: StoredDocument): readonly UsageLimit[] =>
  kind === kinds.usageLimitPolicy
    ? [data as unknown as UsageLimit]
    : ((data.usage_limits ?? []) as unknown as UsageLimit[])

async function reset(
  context: ServiceContext,
  { resourceType, owner }: Holder,
  document: StoredDocument,
  nowMs: number,
): Promise<void> {
  const before = limitsOf(document)
  const after = before.map((limit) => rolledOver(limit, nowMs))
  const changed = after.filter((limit, index) => limit !== before[index])
  if (changed.length === 0) return
  const { version, ...rest } = document
  const last_reset_at =
    changed
      .map((limit) => limit.last_reset_at)
      .sort()
      .at(-1) ?? null
  const limits = document.kind === kinds.usageLimitPolicy ? { ...after[0] } : { usage_limits: after }
  const data = { ...document.data, ...(limits as unknown as JsonObject), last_reset_at }
  await commitAsSystem(
    context,
    document.organisation_id ?? '',
    // Quiet: requests count by the calendar, whether or not this was written.
    [{ op: 'put', document: { ...rest, last_updated_at: nowMs, data }, expected: version, isQuiet: true }],
    {
      action: 'reset',
      resource_type: resourceType,
      resource_id: document.id,
      workspace_id: document.workspace_id,
      before: { last_reset_at: document.data.last_reset_at ?? null },
      after: { last_reset_at },
    },
  )
  const name = owner(document)
  if (name === null) return
  for (const limit of changed) await emptyOld(context.ports.counters, name, limit, nowMs)
}

/** Sets the counters of periods that are over to 0; those of a policy's groups begin with the period's key. */
async function emptyOld(counters: Counters, owner: string, limit: UsageLimit, nowMs: number): Promise<void> {
  const current = usageCounterKey(owner, limit, nowMs)
  let after: string | null = null
  for (;;) {
    const page: { key: string; used: number }[] = [
      ...(await counters.list(usageCounterPrefix(owner, limit.type), after, pageSize)),
    ]
    const old = page.filter(({ key, used }) => used > 0 && key !== current && !key.startsWith(`${current}:`))
    if (old.length > 0) await counters.reset(old.map(({ key }) => key))
    after = page.at(-1)?.key ?? null
    if (page.length < pageSize) return
  }
}
