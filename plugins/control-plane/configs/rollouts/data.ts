/**
 * A rollout as stored with its config: a new version gets a growing share of the sessions until it is live, or until a
 * metric of it exceeds a bound. Pure functions.
 */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import type { ConfigData, RolloutData, RolloutMetric } from '@gateway/domain'
import { type Static, Type } from '@sinclair/typebox'
import { nullable, timestamp, toIso } from '../../engine/index.ts'
import { referencesOf } from '../../shared/index.ts'

const minuteMs = 60_000

export const runningRule = 'cannot be changed while a rollout is running: cancel it, or send publish: false'

const rate = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))

export const boundsSchema = Type.Object(
  {
    error_rate: rate(
      'The share of requests that failed: answered with 400 or more, or streams that ended with an error. Denials (446) and clients that disconnected (499) do not count.',
    ),
    cost_per_request: Type.Optional(Type.Number({ minimum: 0, description: 'In US cents.' })),
    p95_ms: Type.Optional(
      Type.Number({ minimum: 0, description: 'The 95th percentile of the response time, in milliseconds.' }),
    ),
    denial_rate: rate('The share of requests denied by a guardrail.'),
  },
  {
    additionalProperties: false,
    description:
      'The rollout is aborted when the new version exceeds a bound within 5 minutes, once it has answered 50 requests.',
  },
)

type Bounds = Static<typeof boundsSchema>

/** The metrics, in the order in which they are evaluated and reported as the reason. */
const metrics: readonly RolloutMetric[] = ['error_rate', 'cost_per_request', 'p95_ms', 'denial_rate']

export const percentage = (description?: string) =>
  Type.Integer({ minimum: 1, maximum: 100, ...(description === undefined ? {} : { description }) })

export const rolloutSchema = Type.Object(
  {
    id: Type.String(),
    from: Type.Integer({ minimum: 1, description: 'The live version when the rollout began.' }),
    to: Type.Integer({ minimum: 1, description: 'The version that is rolled out.' }),
    status: Type.Unsafe<RolloutData['status']>({ enum: ['running', 'completed', 'aborted', 'cancelled'] }),
    percent: percentage('The share of the sessions that get the new version, while it runs.'),
    steps: Type.Array(Type.Integer()),
    hold_minutes: Type.Integer(),
    abort_if: boundsSchema,
    reason: nullable(
      Type.Object(
        {
          metric: Type.String({
            description:
              'A member of abort_if, or invalid_config: the new version refers to a deleted object.',
          }),
          value: Type.Number(),
          bound: Type.Number(),
        },
        { description: 'Why it was aborted.' },
      ),
    ),
    started_by: nullable(Type.String()),
    started_at: timestamp,
    next_step_at: nullable(timestamp),
    ended_at: nullable(timestamp),
  },
  { title: 'ConfigRollout' },
)

/** Requests of one version within the last minutes. */
export interface Measured {
  requests: number
  /** US cents; null without requests, like every other metric. */
  values: Readonly<Record<RolloutMetric, number>> | null
}

export const latestVersion = ({ config_version, latest_version }: ConfigData): number =>
  Math.max(config_version, latest_version ?? 0)

export const isRunning = ({ rollout }: ConfigData): boolean => rollout?.status === 'running'

/**
 * The references of the live version and of the one being rolled out, and whether the worker must check the rollout.
 */
export function attributesOf({ data }: Pick<StoredDocument<ConfigData>, 'data'>): Record<string, string[]> {
  const live = referencesOf(data.config)
  const { rollout } = data
  if (rollout === undefined || !isRunning(data)) return { ...live }
  const both = (of: keyof typeof live) => [...new Set([...live[of], ...rollout.references[of]])]
  return {
    providers: both('providers'),
    guardrails: both('guardrails'),
    prompts: both('prompts'),
    configs: both('configs'),
    rollout: ['running'],
  }
}

/** The percentages of a rollout, ascending. */
export function stepsOf(percent: number | undefined, steps: readonly number[]): number[] {
  return percent === undefined ? [...steps] : [percent, ...steps.filter((step) => step > percent)]
}

/**
 * The time when the percentage grows, or the version becomes live; null for a last percentage below 100, which stays.
 */
export function nextStepAt({ percent, steps, stepped_at, hold_minutes }: RolloutData): number | null {
  const isLast = steps.every((step) => step <= percent)
  return isLast && percent < 100 ? null : stepped_at + hold_minutes * minuteMs
}

/** The minimum number of requests for evaluating a metric. */
const fewestRequests = 50

/** The first bound that is exceeded, or null. */
export function exceeded(bounds: Bounds, { requests, values }: Measured): RolloutData['reason'] {
  if (values === null || requests < fewestRequests) return null
  for (const metric of metrics) {
    const bound = bounds[metric]
    if (bound !== undefined && values[metric] > bound) return { metric, value: values[metric], bound }
  }
  return null
}

/** The data with its rollout ended, if it is running. */
export function endedRollout(
  data: ConfigData,
  end: Pick<RolloutData, 'status'> & Partial<Pick<RolloutData, 'reason'>>,
  nowMs: number,
): ConfigData {
  const { rollout } = data
  if (rollout === undefined || !isRunning(data)) return data
  return { ...data, rollout: { ...rollout, ...end, ended_at: nowMs } }
}

export function presentRollout({ rollout }: ConfigData): JsonObject | null {
  if (rollout === undefined) return null
  const { references: _, stepped_at: __, started_at, ended_at, ...shown } = rollout
  const next = rollout.status === 'running' ? nextStepAt(rollout) : null
  return {
    ...shown,
    started_at: toIso(started_at),
    next_step_at: next === null ? null : toIso(next),
    ended_at: ended_at === null ? null : toIso(ended_at),
  }
}
