/**
 * Records the periodic resets of usage limits (management contract, sections 4 and 16). Counters start a new period by
 * themselves; this job records it in the documents and the audit log, and empties the counters of past periods. All
 * periods begin at midnight UTC, so it runs once a day and once after each start.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Counters, Job, JsonObject, ServiceContext } from '@gateway/contract'
import {
  type DocumentOf,
  kinds,
  limitOwners,
  limitResets,
  rolledOver,
  typedDocuments,
  type UsageLimit,
  usageCounterKey,
  usageCounterPrefix,
} from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'

const dayMs = 86_400_000
const pageSize = 500
/** The pause between two pages: requests have priority, and the job has a whole day. */
const pauseMs = 50

type LimitedKind = 'api_key' | 'workspace' | 'provider' | 'integration_access' | 'usage_limit_policy'

type Reset = (context: ServiceContext<'counters' | 'documents' | 'now'>, nowMs: number) => Promise<void>

/**
 * Kinds with usage limits: their name in the audit log, and the owner of their counters (null: the counters have other
 * names).
 */
const holder =
  <Kind extends LimitedKind>(
    kind: Kind,
    resourceType: string,
    ownerOf: (document: DocumentOf<Kind>) => string | null,
  ): Reset =>
  async (context, nowMs) => {
    const documents = typedDocuments(context.documents)
    let after: { kind: string; id: string } | null = null
    for (;;) {
      const page: DocumentOf<Kind>[] = await documents.scan(kind, after, pageSize)
      for (const document of page) {
        if (document.status === 'archived') continue
        await reset(context, { resourceType, owner: ownerOf(document), document, nowMs })
      }
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) return
      after = { kind: last.kind, id: last.id }
      await sleep(pauseMs)
    }
  }

const holders: readonly Reset[] = [
  holder(kinds.apiKey, 'api-key', ({ id }) => limitOwners.apiKey(id)),
  holder(kinds.workspace, 'workspace', ({ id }) => limitOwners.workspace(id)),
  holder(kinds.provider, 'provider', ({ id }) => limitOwners.provider(id)),
  holder(kinds.integrationAccess, 'integration-workspace', ({ workspace_id, data }) =>
    workspace_id === null ? null : limitOwners.integration(data.integration_id, workspace_id),
  ),
  holder(kinds.usageLimitPolicy, 'policy-usage-limits', ({ id }) => limitOwners.usagePolicy(id)),
]

export function createUsageResets(context: ServiceContext<'counters' | 'documents' | 'now'>): Job {
  let doneDay = -1
  return {
    name: 'usage-resets',
    intervalMs: 60_000,
    async run(nowMs) {
      const day = Math.floor(nowMs / dayMs)
      if (day === doneDay) return
      for (const resetAll of holders) await resetAll(context, nowMs)
      // Set only after success: the next run then repeats a failed one.
      doneDay = day
    },
  }
}

/** The usage limits of a document, and its data with changed limits. A policy is itself its only limit. */
function limitsOf({ data }: DocumentOf<LimitedKind>): {
  limits: readonly UsageLimit[]
  dataWith(limits: readonly UsageLimit[]): JsonObject
} {
  if ('credit_limit' in data) return { limits: [data], dataWith: ([limit]) => ({ ...data, ...limit }) }
  return { limits: data.usage_limits ?? [], dataWith: (limits) => ({ ...data, usage_limits: [...limits] }) }
}

interface Due {
  resourceType: string
  owner: string | null
  document: DocumentOf<LimitedKind>
  nowMs: number
}

async function reset(
  context: ServiceContext<'counters' | 'documents' | 'now'>,
  { resourceType, owner, document, nowMs }: Due,
): Promise<void> {
  const { limits: before, dataWith } = limitsOf(document)
  const after = before.map((limit) => rolledOver(limit, nowMs))
  const changed = after.filter((limit, index) => limit !== before[index])
  if (changed.length === 0) return
  const { version, ...rest } = document
  const last_reset_at =
    changed
      .map((limit) => limit.last_reset_at)
      .sort()
      .at(-1) ?? null
  const data = { ...dataWith(after), last_reset_at }
  await commitAsSystem(
    context,
    document.organisation_id ?? '',
    // Limits need no reload: requests count by the calendar, whether or not this is written.
    {
      writes: [
        { op: 'put', document: { ...rest, last_updated_at: nowMs, data }, expected: version, isQuiet: true },
        ...limitResets(
          { ...placeOf(document), subject: subjectOf(document, resourceType), limits: changed },
          nowMs,
        ),
      ],
      note: {
        action: 'reset',
        resource_type: resourceType,
        resource_id: document.id,
        workspace_id: document.workspace_id,
        before: { last_reset_at: document.data.last_reset_at ?? null },
        after: { last_reset_at },
      },
    },
  )
  if (owner === null) return
  for (const limit of changed) await emptyOld(context.counters, owner, { limit, nowMs })
}

const placeOf = ({ id, kind, organisation_id, workspace_id }: DocumentOf<LimitedKind>) => ({
  organisation_id,
  workspace_id: kind === kinds.workspace ? id : workspace_id,
})

/** The name in alerts: a workspace's limits in an integration belong to the integration. */
const subjectOf = ({ id, data }: DocumentOf<LimitedKind>, type: string) =>
  'integration_id' in data && type === 'integration-workspace'
    ? { type: 'integration', id: data.integration_id }
    : { type, id }

/** Sets the counters of past periods to 0. Those of a policy's groups begin with the period's key. */
async function emptyOld(
  counters: Counters,
  owner: string,
  { limit, nowMs }: { limit: UsageLimit; nowMs: number },
): Promise<void> {
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
