/** The metrics of one version of a config, from the log of requests, which all replicas share. */
import type { LogGroup, ServiceContext, StoredDocument } from '@gateway/contract'
import { type ConfigData, type LogOutcome, logOutcome, percentile } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { nullable } from '../../engine/index.ts'
import type { Measured } from './data.ts'

const number = nullable(Type.Number())

export const measuredSchema = Type.Object({
  requests: Type.Integer(),
  error_rate: number,
  cost_per_request: number,
  p95_ms: number,
  denial_rate: number,
})

/** The period over which a version is evaluated. */
const windowMs = 5 * 60_000

type Config = Pick<StoredDocument<ConfigData>, 'id' | 'organisation_id' | 'workspace_id' | 'data'>

/** Requests since the rollout began, at most those of the last minutes. Errors: `store_unavailable`. */
export async function measureVersion(
  { logEntries, logs }: ServiceContext<'logEntries' | 'logs'>,
  { id, organisation_id, workspace_id, data }: Config,
  { version, nowMs }: { version: number; nowMs: number },
): Promise<Measured> {
  await logs.flush()
  const groups = await logEntries.aggregate(
    {
      ...(organisation_id === null ? {} : { organisation_id }),
      workspace_ids: [workspace_id],
      from: Math.max(nowMs - windowMs, data.rollout?.started_at ?? 0),
      // Replays and shadows do not count, because no caller waits for them.
      fields: { config_id: [id], config_version: [version], source: ['gateway'] },
    },
    {
      by: ['response_status_code', 'error_code'],
      totals: ['requests', 'cost'],
      histogram: true,
    },
  )
  return sumOf(groups)
}

const hasEnded =
  (outcome: LogOutcome) =>
  ({ values: [status, code] }: LogGroup): boolean =>
    outcome ===
    logOutcome({
      response_status_code: typeof status === 'number' ? status : null,
      error_code: typeof code === 'string' ? code : null,
    })

function sumOf(groups: readonly LogGroup[]): Measured {
  const sum = (of: readonly LogGroup[], member: 'requests' | 'cost') =>
    of.reduce((total, group) => total + group[member], 0)
  const requests = sum(groups, 'requests')
  if (requests === 0) return { requests, values: null }
  const histogram = new Map<number, number>()
  for (const group of groups)
    for (const [bin, count] of group.histogram) histogram.set(bin, (histogram.get(bin) ?? 0) + count)
  return {
    requests,
    values: {
      error_rate: sum(groups.filter(hasEnded('error')), 'requests') / requests,
      cost_per_request: sum(groups, 'cost') / requests,
      p95_ms: percentile(histogram, 0.95),
      denial_rate: sum(groups.filter(hasEnded('denied')), 'requests') / requests,
    },
  }
}
