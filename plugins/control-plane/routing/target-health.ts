/**
 * GET `/target-health` (management contract, section 22): the targets of a workspace that have a circuit breaker, with
 * its state, and those whose providers report rate limits, with the remaining capacity. The answer contains neither
 * hosts nor credentials.
 */
import type { JsonObject, Route, TargetHealth } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  listAnswer,
  listSchema,
  type ManagementContext,
  namedWorkspace,
  nullable,
  pagingOf,
  plainRoute,
  toIso,
} from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'

const scope = 'providers.list'

const oneOf = <Value extends string>(...values: Value[]) =>
  Type.Unsafe<Value>({ type: 'string', enum: values })

const answer = Type.Object(
  {
    object: Type.Literal('target_health'),
    id: Type.String({ description: 'The target’s id, the same on every replica.' }),
    provider: Type.String(),
    virtual_key: nullable(Type.String({ description: 'Slug of the stored credential.' })),
    model: Type.String(),
    host_kind: oneOf('stored', 'default', 'custom'),
    state: oneOf('closed', 'open', 'half_open'),
    failures: Type.Integer({ description: 'The failures that count now, or those that opened the circuit.' }),
    opened_at: nullable(Type.String()),
    retry_at: nullable(Type.String({ description: 'When the next call is sent as a probe.' })),
    last_status: nullable(Type.Integer()),
    limits: Type.Array(
      Type.Object({
        measure: oneOf('requests', 'tokens', 'input_tokens', 'output_tokens'),
        limit: nullable(Type.Integer()),
        left: Type.Integer({
          description: 'The last value that the provider reported, minus the usage sent since.',
        }),
        resets_at: Type.String(),
      }),
      { description: 'The rate limits of the provider that its answers report and that have not reset.' },
    ),
    full_until: nullable(Type.String({ description: 'Until then not even the smallest request has room.' })),
  },
  { title: 'TargetHealth' },
)

export const targetHealthRoutes = (context: ManagementContext<'targetHealth'>): Route[] => [
  plainRoute(context, {
    method: 'GET',
    path: '/v1/target-health',
    operationId: 'targetHealthList',
    summary:
      'Lists the targets that have a circuit breaker or known rate limits, with the remaining capacity',
    tag: 'Routing',
    scope,
    query: Type.Object({
      ...pageQuery.properties,
      workspace_id: Type.Optional(Type.String()),
      organisation_id: Type.Optional(Type.String()),
    }),
    answer: listSchema(answer),
    audit: { action: 'list', resource_type: 'target_health' },
    handle: listHealth,
  }),
]

async function listHealth(call: Call<'targetHealth'>): Promise<JsonObject> {
  const found = new Map<string, TargetHealth>()
  for (const workspaceId of await placesOf(call)) {
    await call.require([scope], workspaceId)
    for (const health of call.context.targetHealth(call.organisationId, workspaceId)) {
      found.set(health.id, health)
    }
  }
  const paging = pagingOf(call.query)
  const from = paging.current_page * paging.page_size
  const all = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  return listAnswer(all.slice(from, from + paging.page_size).map(present), all.length, paging)
}

/** The specified workspace, otherwise all that the caller can see. Null: all of the organisation. */
async function placesOf(call: Call): Promise<readonly (string | null)[]> {
  const named = await namedWorkspace({ level: 'workspace' }, call)
  if (named !== null) return [named]
  const visible = await call.visibleWorkspaces()
  if (visible === null) return [null]
  const held = await Promise.all(visible.map((id) => call.holds(scope, id)))
  return visible.filter((_, index) => held[index])
}

const present = ({ openedAt, retryAt, fullUntil, ...health }: TargetHealth): JsonObject => ({
  object: 'target_health',
  id: health.id,
  provider: health.provider,
  virtual_key: health.virtualKey,
  model: health.model,
  host_kind: health.hostKind,
  state: health.state,
  failures: health.failures,
  opened_at: openedAt === null ? null : toIso(openedAt),
  retry_at: retryAt === null ? null : toIso(retryAt),
  last_status: health.lastStatus,
  limits: health.limits.map(({ resetsAt, ...limit }) => ({ ...limit, resets_at: toIso(resetsAt) })),
  full_until: fullUntil === null ? null : toIso(fullUntil),
})
