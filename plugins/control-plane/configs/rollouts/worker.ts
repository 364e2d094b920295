/**
 * The job that advances rollouts: it aborts those whose new version exceeds a bound, raises the percentage of the
 * others when a step is over, and makes a version live after its last step. It runs in one process at a time. The state
 * is stored in the config, so a restart loses nothing.
 */
import {
  faultReason,
  isGatewayError,
  isObject,
  type Job,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import {
  type ConfigData,
  type DocumentOf,
  kinds,
  openContent,
  type RolloutData,
  recordOf,
  sealContent,
  typedDocuments,
  versionKey,
} from '@gateway/domain'
import { type AnyResource, commitAsSystem, index } from '../../engine/index.ts'
import { endedRollout, exceeded, latestVersion, nextStepAt, presentRollout } from './data.ts'
import { measureVersion } from './measure.ts'

const intervalMs = 10_000
const pageSize = 500

type Config = DocumentOf<'config'>

/** A version as stored, and its opened content. */
interface Version {
  id: string
  config: JsonObject
}

interface Step {
  data: ConfigData
  action: 'rollout_step' | 'rollout_complete' | 'rollout_abort'
}

/** @param resource the config resource, once it is declared */
export const createRolloutWorker = (
  context: ServiceContext<'checkConfig' | 'documents' | 'log' | 'logEntries' | 'logs' | 'now' | 'sealer'>,
  resource: () => AnyResource,
): Job => ({
  name: 'config-rollouts',
  intervalMs,
  async run(nowMs) {
    for (const document of await listRunning(context)) {
      try {
        const step = await nextStep(context, document, nowMs)
        if (step !== null) await commitStep(context, { document, step, resource: resource(), nowMs })
      } catch (error) {
        // Changed concurrently: the next run sees the change.
        if (isGatewayError(error) && error.code === 'precondition_failed') continue
        const reason = faultReason(error)
        context.log.error({ config_id: document.id, reason }, 'the rollout of a config could not be judged')
      }
    }
  },
})

async function listRunning(context: ServiceContext<'documents'>): Promise<Config[]> {
  const found: Config[] = []
  for (;;) {
    const { documents } = await typedDocuments(context.documents).list(
      kinds.config,
      { statuses: ['active'], attributes: { rollout: ['running'] } },
      { sort: 'id', order: 'asc', offset: found.length, limit: pageSize },
    )
    found.push(...documents)
    if (documents.length < pageSize) return found
  }
}

async function nextStep(
  context: ServiceContext<'checkConfig' | 'documents' | 'logEntries' | 'logs' | 'sealer'>,
  document: Config,
  nowMs: number,
): Promise<Step | null> {
  const { data } = document
  const { rollout } = data
  if (rollout?.status !== 'running') return null
  const version = await openVersion(context, document, rollout.to)
  const faults = version === null ? 1 : await countFaults(context, document, version.config)
  const reason =
    version === null || faults > 0
      ? ({ metric: 'invalid_config', value: faults, bound: 0 } as const)
      : exceeded(rollout.abort_if, await measureVersion(context, document, { version: rollout.to, nowMs }))
  if (version === null || reason !== null)
    return { data: endedRollout(data, { status: 'aborted', reason }, nowMs), action: 'rollout_abort' }
  const dueAt = nextStepAt(rollout)
  if (dueAt === null || dueAt > nowMs) return null
  const percent = rollout.steps.find((step) => step > rollout.percent)
  if (percent !== undefined)
    return { data: { ...data, rollout: { ...rollout, percent, stepped_at: nowMs } }, action: 'rollout_step' }
  return { data: madeLive(context, document, { rollout, version, nowMs }), action: 'rollout_complete' }
}

async function openVersion(
  context: ServiceContext<'documents' | 'sealer'>,
  { id }: Config,
  version: number,
): Promise<Version | null> {
  const found = await typedDocuments(context.documents).findByKey(
    kinds.configVersion,
    versionKey(id, version),
  )
  if (found === null) return null
  const { config } = openContent(found.data.content, context.sealer, recordOf(found))
  return isObject(config) ? { id: found.id, config } : null
}

const countFaults = async (
  context: ServiceContext<'checkConfig'>,
  { workspace_id }: Config,
  config: JsonObject,
) => (await context.checkConfig(config, workspace_id ?? '')).length

interface Completed {
  rollout: RolloutData
  version: Version
  nowMs: number
}

function madeLive(
  { sealer }: ServiceContext<'sealer'>,
  document: Config,
  { rollout, version, nowMs }: Completed,
): ConfigData {
  return {
    ...endedRollout(document.data, { status: 'completed' }, nowMs),
    config: sealContent(version.config, sealer, recordOf(document)),
    config_version: rollout.to,
    version_id: version.id,
    latest_version: latestVersion(document.data),
  }
}

interface Committing {
  document: Config
  step: Step
  resource: AnyResource
  nowMs: number
}

async function commitStep(
  context: ServiceContext<'documents' | 'now'>,
  { document, step, resource, nowMs }: Committing,
): Promise<void> {
  const { version: expected, ...rest } = document
  const data = { ...document.data, ...step.data }
  const draft = { ...rest, keys: [...rest.keys], last_updated_at: nowMs, data }
  index(resource, draft)
  await commitAsSystem(context, document.organisation_id ?? '', {
    writes: [{ op: 'put', document: draft, expected }],
    note: {
      action: step.action,
      resource_type: 'config',
      resource_id: document.id,
      workspace_id: document.workspace_id,
      before: describe(document.data),
      after: describe(data),
      ...(data.rollout?.reason == null ? {} : { details: detailsOf(data.rollout) }),
    },
  })
}

const describe = (data: ConfigData): JsonObject => ({
  version: data.config_version,
  rollout: presentRollout(data),
})

const detailsOf = ({ id, from, to, percent, reason }: RolloutData): JsonObject => ({
  rollout: { id, from, to, percent },
  reason,
})
