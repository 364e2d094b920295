/** The routes of replays. */
import type { Route } from '@gateway/contract'
import {
  type Call,
  commaListOf,
  conflict,
  type ManagementContext,
  type PlainRoute,
  plainRoute,
} from '@gateway/control-plane/engine'
import { pageQuery } from '@gateway/control-plane/shared'
import { auditWrite } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { createReplay } from './create.ts'
import type { ReplayEngine } from './engine.ts'
import { listPairs, pairListSchema } from './pairs.ts'
import {
  dryRunSchema,
  presentReplay,
  replayListSchema,
  replayReportSchema,
  replaySchema,
  statuses,
} from './present.ts'
import { findReplay, listReplays, type Reports, sightOn } from './read.ts'
import { createBody } from './read-body.ts'
import { isEnded, type ReplayStore } from './store.ts'

const text = Type.Optional(Type.String())
const place = { workspace_id: text, organisation_id: text }

const described = (action: string) => ({ tag: 'Replays', audit: { action, resource_type: 'replay' } })
const one = '/v1/replays/:id'

const declared = {
  create: {
    ...described('create'),
    method: 'POST',
    path: '/v1/replays',
    operationId: 'replayCreate',
    summary: 'Replays logged requests against another config',
    description: [
      'Draws a sample of log entries with bodies, runs their requests against `config` with the key of the caller, and',
      'compares the answers. Tools are not run. Also needs the scopes `logs.view` and `completions.write`. With `dry_run`',
      'nothing is run: the answer says what the replay would do and cost.',
    ].join('\n'),
    example: {
      name: 'Try the small model',
      source: { filter: { ai_model: 'gpt-4o' }, sample: 500 },
      config: { provider: 'openai', virtual_key: 'openai-main', override_params: { model: 'gpt-4o-mini' } },
      budget: 5,
    },
    scope: 'replays.create',
    body: createBody,
    query: Type.Object(place),
    answer: Type.Union([replaySchema, dryRunSchema]),
  },
  list: {
    ...described('list'),
    method: 'GET',
    path: '/v1/replays',
    operationId: 'replayList',
    summary: 'Lists replays, newest first',
    scope: 'replays.list',
    query: Type.Object({
      ...pageQuery.properties,
      ...place,
      status: Type.Optional(commaListOf(...statuses)),
    }),
    answer: replayListSchema,
  },
  read: {
    ...described('read'),
    method: 'GET',
    path: one,
    operationId: 'replayRead',
    summary: 'Returns a replay with its report',
    description: [
      'While it runs, the report is about the pairs so far. `diff.METRIC.mean` is the mean of the paired differences,',
      'candidate minus baseline, with a 95 % interval by bootstrap. `verdict` is null where the interval spans zero, where',
      'there are fewer than 6 pairs, and for measures that have no better direction.',
    ].join('\n'),
    scope: 'replays.read',
    query: Type.Object(place),
    answer: replayReportSchema,
  },
  cancel: {
    ...described('cancel'),
    method: 'POST',
    path: `${one}/cancel`,
    operationId: 'replayCancel',
    summary: 'Cancels a replay; requests in flight complete',
    scope: 'replays.update',
    isBodyOptional: true,
    query: Type.Object(place),
    answer: replaySchema,
  },
  pairs: {
    ...described('list'),
    method: 'GET',
    path: `${one}/pairs`,
    operationId: 'replayPairList',
    summary: 'Lists the pairs of a replay with both answers, worst first',
    description: [
      'The order: errors of the candidate, denials, invalid JSON, other tools, other arguments, refusals, lost judgements,',
      'then the lowest similarity. Also needs the scope `logs.view`. Answers are those of the log: they are null once the',
      'log entries are erased or past their retention.',
    ].join('\n'),
    scope: 'replays.read',
    query: Type.Object({ ...pageQuery.properties, ...place }),
    answer: pairListSchema,
  },
} satisfies Record<string, Omit<PlainRoute, 'handle'>>

export interface RouteParts {
  engine: ReplayEngine
  store: ReplayStore
  reports: Reports
  nudge(): void
}

export const replayRoutes = (
  context: ManagementContext<'logEntries' | 'logs'>,
  { engine, store, reports, nudge }: RouteParts,
): Route[] => [
  plainRoute(context, { ...declared.create, handle: (call) => createReplay({ engine, nudge }, call) }),
  plainRoute(context, { ...declared.list, handle: listReplays }),
  plainRoute(context, {
    ...declared.read,
    handle: async (call) => reports.of(await findReplay(call, store, 'replays.read')),
  }),
  plainRoute(context, { ...declared.cancel, handle: (call) => cancel(call, store) }),
  plainRoute(context, { ...declared.pairs, handle: (call) => pairsOf(call, store) }),
]

async function pairsOf(call: Call<'logEntries' | 'logs'>, store: ReplayStore) {
  const replay = await findReplay(call, store, 'replays.read')
  await sightOn(call, replay)
  return listPairs(call, store, replay)
}

async function cancel(call: Call, store: ReplayStore) {
  const found = await findReplay(call, store, 'replays.update')
  const cancelled = await store.change(found.id, (replay) => {
    if (isEnded(replay)) throw conflict(`The replay is ${replay.status} and can no longer be cancelled.`)
    const { request, identity, organisationId, nowMs } = call
    const note = {
      action: 'cancel',
      resource_type: 'replay',
      resource_id: replay.id,
      workspace_id: replay.workspace_id,
    }
    return {
      status: 'cancelled',
      data: { ended_at: nowMs },
      also: [auditWrite({ request, identity, organisationId, nowMs, status: 200, sent: call.sent }, note)],
    }
  })
  return presentReplay(cancelled ?? found)
}
