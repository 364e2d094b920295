/** The metrics of one version of a config, from the log of requests, which all replicas share. */
import type { LogGroup, ServiceContext, StoredDocument } from '@gateway/contract'
import { type ConfigData, percentile } from '@gateway/core/domain'
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

/** How far back a version is judged. */
const windowMs = 5 * 60_000

type Config = Pick<StoredDocument<ConfigData>, 'id' | 'organisation_id' | 'workspace_id' | 'data'>

/** Requests since the rollout began, at most of the last minutes. Errors: `store_unavailable`. */
export async function measureVersion(
  { ports, logs }: Pick<ServiceContext, 'ports' | 'logs'>,
  { id, organisation_id, workspace_id, data }: Config,
  version: number,
  nowMs: number,
): Promise<Measured> {
  await logs.flush()
  const groups = await ports.log.aggregate(
    {
      ...(organisation_id === null ? {} : { organisation_id }),
      workspace_ids: [workspace_id],
      from: Math.max(nowMs - windowMs, data.rollout?.started_at ?? 0),
      // Replays and shadows do not count, because no caller waits for them.
      fields: { config_id: [id], config_version: [version], source: ['gateway'] },
    },
    {
      by: ['response_status_code', 'is_partial', 'guardrail_verdict'],
      totals: ['requests', 'cost'],
      histogram: true,
    },
  )
  return sumOf(groups)
}

/** A denied stream had a good status when it began. */
const isDenied = ({ values: [status, isPartial, verdict] }: LogGroup): boolean =>
  status === 446 || (Number(status) < 300 && isPartial === true && verdict === false)

const isError = ({ values: [status] }: LogGroup): boolean =>
  Number(status) >= 400 && status !== 446 && status !== 499

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
      error_rate: sum(groups.filter(isError), 'requests') / requests,
      cost_per_request: sum(groups, 'cost') / requests,
      p95_ms: percentile(histogram, 0.95),
      denial_rate: sum(groups.filter(isDenied), 'requests') / requests,
    },
  }
}
