/**
 * `POST /v1/replays`: draws the sample, checks that the candidate's config works for it, and queues the replay. With
 * `dry_run`, it only returns the effects and the cost.
 */

import {
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type JsonObject,
  type LogFilter,
  type StoredDocument,
} from '@gateway/contract'
import { type Call, namedWorkspace } from '@gateway/control-plane/engine'
import { maskContent, timeOrderedId, type WorkspaceData } from '@gateway/domain'
import { dayMs, readFilters, retentionOf, sightOf, withTimes } from '@gateway/observability/visible-logs'
import { runnerOf } from './caller.ts'
import { replayedEndpoints } from './compare/answers.ts'
import type { ReplayEngine } from './engine.ts'
import type { KeptCaller, ReplayData, SealedConfigs, ShownConfig } from './entities.ts'
import { cents, presentReplay } from './present.ts'
import { makerOf } from './read.ts'
import { type CreateBody, configText, filterFault, writtenFilter } from './read-body.ts'
import { createCalls, recordOf } from './run/calls.ts'
import { drawSample } from './sample.ts'
import { newSeed } from './statistics/random.ts'
import type { ReplayDocument } from './store.ts'
import { type Survey, surveySample } from './survey.ts'

export interface CreateParts {
  engine: ReplayEngine
  /** Wakes the scheduler when a replay is ready to run. */
  nudge(): void
}

/** The number of requests that are priced for an estimate; fewer are priced before a start. */
const plannedForEstimate = 200
const plannedForStart = 20

export async function createReplay(parts: CreateParts, call: Call<'logs'>): Promise<JsonObject> {
  // The schema has validated the body.
  const body = call.body as CreateBody
  const workspace = await workspaceOf(call)
  await call.require(['replays.create'], workspace.id)
  const sight = await sightOf(call, 'logs.view', { workspace_id: workspace.id })
  // An organisation key cannot run requests; the key that it names needs the scope.
  if (call.identity.type !== 'organisation-service') await call.require(['completions.write'], workspace.id)
  const caller = await runnerOf(call, workspace, body.api_key_id ?? null)
  const given = (body.source.filter ?? {}) as JsonObject
  const filter = { ...(await filterOf(call, given)), ...sight }
  const seed = body.seed ?? newSeed()
  const { context } = parts.engine
  // The newest entries may not be written yet.
  await context.logs.flush()
  const ids = await drawSample(context.logEntries, filter, { count: body.source.sample, seed })
  const replay = draftOf(call, body, { workspace, caller, seed, total: ids.length })
  const isDry = body.dry_run === true
  const survey = await surveySample({
    engine: parts.engine,
    calls: createCalls(context, replay),
    ids,
    criteria: body.judge?.criteria ?? null,
    mostPlanned: isDry ? plannedForEstimate : plannedForStart,
    mostRead: isDry ? ids.length : plannedForStart,
  })
  const faults = faultsOf(survey, body)
  if (isDry) return dryRunOf(survey, faults, seed)
  if (faults.length > 0) throw faultsError(faults)
  const { version: _, ...document } = replay
  await call.commit(
    [
      { op: 'put', document, expected: 0 },
      {
        op: 'put',
        document: {
          ...document,
          kind: 'replay_sample',
          name: null,
          attributes: {},
          status: 'active',
          data: { ids },
        },
        expected: 0,
      },
    ],
    {
      action: 'create',
      resource_type: 'replay',
      resource_id: replay.id,
      workspace_id: workspace.id,
      after: presentReplay(replay),
    },
  )
  parts.nudge()
  return presentReplay(replay)
}

async function workspaceOf(call: Call): Promise<StoredDocument<WorkspaceData>> {
  const { workspace_id: written } = call.body
  if (typeof written === 'string') return call.workspace(written, '/workspace_id')
  const { workspaceId } = call.identity
  const named =
    (await namedWorkspace({ level: 'workspace' }, call)) ?? (workspaceId === '' ? null : workspaceId)
  if (named === null)
    throw new GatewayError('invalid_body', '/workspace_id: name the workspace of the replay.', {
      param: '/workspace_id',
    })
  return call.workspace(named, '/workspace_id')
}

/** The entries that can be replayed: those that match the filter, whose endpoint has comparable answers, up to now. */
async function filterOf(call: Call<'logs'>, given: JsonObject): Promise<LogFilter> {
  const read = await readFilters(call, writtenFilter(given), filterFault)
  const { logsFrom } = await retentionOf(call)
  const filter = withTimes(
    { ...read, max: Math.min(read.max ?? call.nowMs, call.nowMs) },
    { from: logsFrom, defaultMs: 7 * dayMs, nowMs: call.nowMs },
  )
  const { fields = {}, except = {} } = filter
  const asked = fields.endpoint_type
  const endpoints = Object.keys(replayedEndpoints).filter((id) => asked === undefined || asked.includes(id))
  // The gateway's own embeddings are not requests of callers.
  const sources = fields.source === undefined ? { source: [...(except.source ?? []), 'cache'] } : {}
  return {
    ...filter,
    fields: { ...fields, endpoint_type: endpoints },
    except: { ...except, ...sources },
  }
}

interface Drafted {
  workspace: Pick<StoredDocument<WorkspaceData>, 'id'>
  caller: KeptCaller
  seed: number
  total: number
}

function draftOf(call: Call, body: CreateBody, { workspace, caller, seed, total }: Drafted): ReplayDocument {
  const id = timeOrderedId(call.nowMs)
  const { sealer } = call.context
  const shown = (config: unknown): ShownConfig =>
    isObject(config) ? maskContent(config, sealer, 'inline') : configText(config)
  const judge = body.judge ?? null
  const sealed: SealedConfigs = {
    config: configText(body.config),
    judge: judge === null ? null : configText(judge.config),
  }
  const made_by = makerOf(call)
  const data: ReplayData = {
    type: 'replay',
    filter: (body.source.filter ?? {}) as JsonObject,
    sample: body.source.sample,
    seed,
    config: shown(body.config),
    judge: judge === null ? null : { config: shown(judge.config), criteria: judge.criteria },
    sealed: sealer.seal(JSON.stringify(sealed), recordOf(id)),
    concurrency: body.concurrency ?? 4,
    budget: body.budget ?? null,
    counts: { total, completed: 0, failed: 0, skipped: 0, redacted: 0 },
    spent: 0,
    unsettled: 0,
    caller,
    client_ip: call.request.clientIp,
    made_by,
    started_at: null,
    ended_at: null,
    error: null,
    report: null,
    isPruned: false,
  }
  return {
    kind: 'replay',
    id,
    organisation_id: call.organisationId,
    workspace_id: workspace.id,
    slug: null,
    name: body.name ?? null,
    status: 'queued',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [],
    attributes: { type: [data.type], pairs: ['kept'], ...(made_by === null ? {} : { made_by: [made_by] }) },
    data,
    version: 1,
  }
}

/** Errors of the candidate's config are reported at `/config`, whichever header or body member they refer to. */
function faultsOf({ counts, faults, unpriced }: Survey, { budget = null }: CreateBody): Fault[] {
  if (counts.total === 0) {
    const message = '/source/filter: no log entry that can be replayed matches.'
    return [{ param: '/source/filter', code: 'invalid_body', message }]
  }
  const found: Fault[] = faults.map(({ param, code, message }) =>
    param.startsWith('header/') || param.startsWith('/config')
      ? { param: '/config', code, message }
      : { param, code, message },
  )
  if (budget !== null && unpriced.size > 0) {
    const models = [...unpriced].slice(0, 5).join(', ')
    const message = `/budget: the price of ${models} is not known. Set it on the integration, or leave out the budget.`
    found.push({ param: '/budget', code: 'invalid_body', message })
  }
  return found
}

const dryRunOf = (
  { counts, cost, reserved, tokens }: Survey,
  faults: readonly Fault[],
  seed: number,
): JsonObject => ({
  object: 'replay.dry_run',
  valid: faults.length === 0,
  errors: faults.map(({ param, code, message }) => ({ param, code, message })),
  counts,
  seed,
  estimate: {
    cost: cost === null ? null : cents(cost),
    reserved: reserved === null ? null : cents(reserved),
    tokens,
  },
})
