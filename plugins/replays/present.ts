/** Formats replays for answers, and declares the schemas of those answers. */
import type { JsonObject } from '@gateway/contract'
import { listSchema, nullable, timestamp, toIso } from '@gateway/control-plane/engine'
import { type TSchema, Type } from '@sinclair/typebox'
import type { ReplayStatus } from './entities.ts'
import { diffNames } from './report.ts'
import type { ReplayDocument } from './store.ts'

export const statuses: readonly ReplayStatus[] = [
  ...(['queued', 'running', 'completed', 'failed', 'cancelled', 'budget_exhausted'] as const),
]

const number = nullable(Type.Number())
const anything = Type.Record(Type.String(), Type.Unknown())

const counts = Type.Object(
  {
    total: Type.Integer({ description: 'Requests in the sample.' }),
    completed: Type.Integer({
      description: 'Pairs that were compared, also those whose answer is an error.',
    }),
    failed: Type.Integer({ description: 'Pairs that could not be compared, because the key was refused.' }),
    skipped: Type.Integer({ description: 'Requests that cannot be replayed: no body, media, hosted tools.' }),
    redacted: Type.Integer({ description: 'Completed pairs whose stored request is redacted.' }),
  },
  { additionalProperties: false },
)

const spread = nullable(
  Type.Object(
    { mean: number, p50: number, p90: number, p95: number, p99: number },
    { additionalProperties: false },
  ),
)

const side = Type.Object(
  {
    requests: Type.Integer(),
    cost: Type.Number({ description: 'US cents.' }),
    cost_known: Type.Boolean(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    latency_ms: spread,
    first_token_ms: spread,
    length: spread,
    error_rate: number,
    denial_rate: number,
    refusal_rate: number,
    truncation_rate: number,
    json_valid_rate: number,
    finish_reasons: Type.Record(Type.String(), Type.Integer()),
  },
  { additionalProperties: false, title: 'ReplaySide' },
)

const difference = nullable(
  Type.Object(
    {
      mean: Type.Number({
        description: "The candidate's minus the baseline's; of a rate of agreement, the rate.",
      }),
      ci95: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'By bootstrap over pairs.' }),
      verdict: nullable(Type.Union([Type.Literal('better'), Type.Literal('worse')])),
      n: Type.Integer({ description: 'Pairs in which both sides have the measure.' }),
      n_needed: nullable(
        Type.Integer({ description: 'Pairs that show a difference of this size in 80 of 100 replays.' }),
      ),
    },
    { additionalProperties: false, title: 'ReplayDifference' },
  ),
)

const judged = nullable(
  Type.Object(
    {
      pairs: Type.Integer(),
      candidate_wins: Type.Integer(),
      ties: Type.Integer(),
      baseline_wins: Type.Integer(),
      disagreement_rate: Type.Number({
        description: 'How often the verdict changed when the answers were swapped.',
      }),
    },
    { additionalProperties: false },
  ),
)

const config = Type.Union([Type.String(), anything])

const members: Record<string, TSchema> = {
  id: Type.String(),
  object: Type.Literal('replay'),
  type: Type.Union([Type.Literal('replay'), Type.Literal('shadow')]),
  name: nullable(Type.String()),
  status: Type.Union(statuses.map((status) => Type.Literal(status))),
  organisation_id: nullable(Type.String()),
  workspace_id: nullable(Type.String()),
  api_key_id: nullable(Type.String()),
  source: Type.Object({ filter: anything, sample: Type.Integer() }, { additionalProperties: false }),
  seed: Type.Integer(),
  config,
  concurrency: Type.Integer(),
  budget: nullable(Type.Number({ description: 'US dollars.' })),
  judge_config: nullable(Type.Object({ config, criteria: Type.String() }, { additionalProperties: false })),
  shadow: nullable(
    Type.Object(
      { config: nullable(Type.String()), path: Type.String(), sample_percent: Type.Number() },
      {
        additionalProperties: false,
        description:
          'Of a shadow: the saved config and the node that declare it. Its budget is that of a day.',
      },
    ),
  ),
  counts,
  cost: Type.Number({ description: 'US cents of all calls so far, with those of the judge.' }),
  unsettled: Type.Number({ description: 'US cents reserved by calls that a crash cut off.' }),
  error: nullable(Type.String()),
  created_at: timestamp,
  last_updated_at: timestamp,
  started_at: nullable(timestamp),
  ended_at: nullable(timestamp),
}

export const replaySchema = Type.Object(members, { additionalProperties: false, title: 'Replay' })
export const replayListSchema = listSchema(replaySchema)

export const replayReportSchema = Type.Object(
  {
    ...members,
    baseline: nullable(side),
    candidate: nullable(side),
    judge: judged,
    diff: nullable(
      Type.Object(Object.fromEntries(diffNames.map((name) => [name, difference])), {
        additionalProperties: false,
      }),
    ),
  },
  { additionalProperties: false, title: 'ReplayReport' },
)

export const dryRunSchema = Type.Object(
  {
    object: Type.Literal('replay.dry_run'),
    valid: Type.Boolean(),
    errors: Type.Array(
      Type.Object(
        { param: nullable(Type.String()), code: Type.String(), message: Type.String() },
        { additionalProperties: false },
      ),
    ),
    counts,
    seed: Type.Integer(),
    estimate: Type.Object(
      {
        cost: nullable(
          Type.Number({
            description: "US cents: the baseline's tokens at the candidate's price, and the judge.",
          }),
        ),
        reserved: nullable(
          Type.Number({
            description: 'US cents that the budget needs if every request uses its whole limit.',
          }),
        ),
        tokens: Type.Integer({ description: "The baseline's tokens." }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, title: 'ReplayDryRun' },
)

const isoOf = (ms: number | null) => (ms === null ? null : toIso(ms))

export const cents = (value: number): number => Math.round(value * 1e6) / 1e6

export function presentReplay(replay: Omit<ReplayDocument, 'version'>): JsonObject {
  const { id, name, status, organisation_id, workspace_id, created_at, last_updated_at, data } = replay
  return {
    id,
    object: 'replay',
    type: data.type,
    name,
    status,
    organisation_id,
    workspace_id,
    api_key_id: data.caller?.keyId ?? null,
    source: { filter: data.filter, sample: data.sample },
    seed: data.seed,
    config: data.config,
    concurrency: data.concurrency,
    budget: data.budget,
    judge_config: data.judge,
    shadow: data.shadow ?? null,
    counts: { ...data.counts },
    cost: cents(data.spent),
    unsettled: cents(data.unsettled),
    error: data.error,
    created_at: toIso(created_at),
    last_updated_at: toIso(last_updated_at),
    started_at: isoOf(data.started_at),
    ended_at: isoOf(data.ended_at),
  }
}

export const emptyReport = { baseline: null, candidate: null, judge: null, diff: null }
