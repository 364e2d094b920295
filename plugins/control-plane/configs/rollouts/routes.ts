/** `/configs/{id}/rollout`: starts a rollout of a version, shows the last one with its metrics, and cancels it. */
import { randomUUID } from 'node:crypto'
import { faultsError, GatewayError, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import { type ConfigData, kinds, openContent, type RolloutData, recordOf } from '@gateway/domain'
import { type Static, Type } from '@sinclair/typebox'
import {
  type AnyResource,
  type Call,
  conflict,
  type ExtraRoute,
  index,
  isFileDocument,
  isOfFile,
  notFound,
  writerOf,
} from '../../engine/index.ts'
import { findVersion, referencesOf } from '../../shared/index.ts'
import { configFaults } from '../faults.ts'
import {
  boundsSchema,
  endedRollout,
  isRunning,
  type Measured,
  percentage,
  presentRollout,
  rolloutSchema,
  stepsOf,
} from './data.ts'
import { measuredSchema, measureVersion } from './measure.ts'

const defaultSteps = [5, 25, 100]

const body = Type.Object(
  {
    to: Type.Integer({ minimum: 1, description: 'The version to roll out, which must not be live.' }),
    percent: Type.Optional(percentage('The first percentage of the sessions. Default: the first of steps.')),
    steps: Type.Optional(
      Type.Array(percentage(), {
        minItems: 1,
        maxItems: 20,
        default: defaultSteps,
        description:
          'The percentages, ascending. After 100 the version becomes live; a last step below 100 stays until the rollout is cancelled.',
      }),
    ),
    hold_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_080, default: 10, description: 'How long each step lasts.' }),
    ),
    abort_if: Type.Optional(boundsSchema),
  },
  { additionalProperties: false },
)

const answer = Type.Intersect(
  [
    rolloutSchema,
    Type.Object({
      object: Type.Literal('config-rollout'),
      config_id: Type.String(),
      metrics: Type.Object(
        { from: measuredSchema, to: measuredSchema },
        { description: 'Of both versions, from the last 5 minutes at most.' },
      ),
    }),
  ],
  { title: 'ConfigRolloutState' },
)

type Config = StoredDocument<ConfigData>

/** @param resource the config resource, once it is declared */
export const rolloutRoutes = (
  resource: () => AnyResource,
): ExtraRoute<ConfigData, 'checkConfig' | 'logEntries' | 'logs'>[] => [
  {
    method: 'POST',
    path: '/:id/rollout',
    operationId: 'configRolloutStart',
    summary: 'Rolls out a version of a config step by step',
    description:
      'A hash of the session decides which version a request gets: a session that has the new version keeps it. When a bound of `abort_if` is exceeded, all sessions get the live version again, and the event `config.rollout_aborted` is sent.',
    example: {
      to: 2,
      steps: [5, 25, 100],
      hold_minutes: 30,
      abort_if: { error_rate: 0.02, p95_ms: 4000, cost_per_request: 0.5 },
    },
    action: 'update',
    auditAction: 'rollout_start',
    isBodyOptional: false,
    body,
    answer,
    handle: async (call, document) => shown(call, await start(call, document, resource())),
  },
  {
    method: 'GET',
    path: '/:id/rollout',
    operationId: 'configRolloutRead',
    summary: 'Returns the last rollout of a config, with the metrics of both versions',
    action: 'update',
    answer,
    handle: async (call, document) => shown(call, document),
  },
  {
    method: 'DELETE',
    path: '/:id/rollout',
    operationId: 'configRolloutCancel',
    summary: 'Cancels the running rollout of a config: all sessions get the live version again',
    action: 'update',
    auditAction: 'rollout_cancel',
    answer,
    handle: async (call, document) => {
      if (!isRunning(document.data)) throw conflict('No rollout of this config is running.')
      const data = endedRollout(document.data, { status: 'cancelled' }, call.nowMs)
      return shown(call, await commit(call, { document, data, action: 'rollout_cancel' }, resource()))
    },
  },
]

async function start(call: Call<'checkConfig'>, document: Config, resource: AnyResource): Promise<Config> {
  if (isFileDocument(document)) throw isOfFile('config', call.context.filePath)
  if (isRunning(document.data)) throw conflict('A rollout of this config is running: cancel it first.')
  // The body has passed the schema.
  const {
    to,
    percent,
    steps = defaultSteps,
    hold_minutes = 10,
    abort_if = {},
  } = call.body as Static<typeof body>
  const { config_version: from } = document.data
  if (to === from) throw invalid('/to', 'is the live version')
  if (steps.some((step, at) => at > 0 && step <= (steps[at - 1] ?? 0)))
    throw invalid('/steps', 'must be ascending')
  const version = await findVersion(call, { kind: kinds.configVersion, documentId: document.id, version: to })
  if (version === null) throw notFound('/to', 'version of this config')
  const { config } = openContent(version.data.content, call.context.sealer, recordOf(version))
  const content: JsonObject = isObject(config) ? config : {}
  const faults = await configFaults(call, content, document.workspace_id ?? '')
  if (faults.length > 0) throw faultsError(faults)
  const all = stepsOf(percent, steps)
  const rollout: RolloutData = {
    id: randomUUID(),
    from,
    to,
    status: 'running',
    percent: all[0] ?? 100,
    steps: all,
    hold_minutes,
    abort_if,
    reason: null,
    started_at: call.nowMs,
    stepped_at: call.nowMs,
    ended_at: null,
    started_by: writerOf(call),
    references: referencesOf(content),
  }
  const data = { ...document.data, rollout }
  return commit(call, { document, data, action: 'rollout_start' }, resource)
}

const invalid = (param: string, message: string) =>
  new GatewayError('invalid_body', `${param}: ${message}`, { param })

interface Change {
  document: Config
  data: ConfigData
  action: string
}

async function commit(
  call: Call,
  { document, data, action }: Change,
  resource: AnyResource,
): Promise<Config> {
  const { version: expected, ...rest } = document
  const draft = { ...rest, keys: [...rest.keys], last_updated_at: call.nowMs, data }
  index(resource, draft)
  const [stored] = await call.commit([{ op: 'put', document: draft, expected }], {
    action,
    resource_type: 'config',
    resource_id: document.id,
    workspace_id: document.workspace_id,
    before: { rollout: presentRollout(document.data) },
    after: { rollout: presentRollout(data) },
  })
  if (stored === undefined) throw conflict('The config was changed concurrently. Send the request again.')
  return { ...document, ...stored, data }
}

async function shown(call: Call<'logEntries' | 'logs'>, document: Config): Promise<JsonObject> {
  const rollout = presentRollout(document.data)
  if (rollout === null) throw notFound('path/id', 'rollout of this config')
  const metrics = async (version: unknown) =>
    flat(await measureVersion(call.context, document, { version: Number(version), nowMs: call.nowMs }))
  const [from, to] = await Promise.all([metrics(rollout.from), metrics(rollout.to)])
  return { object: 'config-rollout', config_id: document.id, ...rollout, metrics: { from, to } }
}

const none = { error_rate: null, cost_per_request: null, p95_ms: null, denial_rate: null }

const flat = ({ requests, values }: Measured): JsonObject => ({ requests, ...(values ?? none) })
