/**
 * Workspaces for which the organisation's guardrails of a phase do not run (`/workspace-exclusions`, management.md §5).
 */

import { GatewayError, type JsonObject, type Route } from '@gateway/contract'
import { kinds, type OrganisationData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  checkOrganisation,
  listAnswer,
  listSchema,
  type ManagementContext,
  pagingOf,
  plainRoute,
} from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'

const phases = [
  { path: 'input-guardrails', operation: 'Input', member: 'input_guardrail_exclusions' },
  { path: 'output-guardrails', operation: 'Output', member: 'output_guardrail_exclusions' },
] as const

type Member = (typeof phases)[number]['member']

const body = Type.Object(
  {
    workspaces: Type.Array(
      Type.Object(
        { workspace_id: Type.String({ minLength: 1 }), excluded: Type.Boolean() },
        { additionalProperties: false },
      ),
      { maxItems: 1000 },
    ),
    override_existing: Type.Optional(Type.Boolean()),
    organisation_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const item = Type.Object({
  object: Type.Literal('workspace-exclusion'),
  workspace_id: Type.String(),
  slug: Type.Union([Type.String(), Type.Null()]),
  name: Type.Union([Type.String(), Type.Null()]),
  excluded: Type.Literal(true),
})

export function exclusionRoutes(context: ManagementContext): Route[] {
  return phases.flatMap(({ path, operation, member }) => {
    const common = {
      path: `/v1/workspace-exclusions/${path}`,
      tag: 'Organisations',
      answer: listSchema(item),
      query: pageQuery,
      audit: { action: 'update', resource_type: 'workspace-exclusion' },
    }
    return [
      plainRoute(context, {
        ...common,
        method: 'GET',
        operationId: `exclusions${operation}List`,
        summary: 'Lists the workspaces that are excluded from the organisation’s guardrails',
        scope: 'organisation_exclusions.list',
        handle: (call) => answer(call, member),
      }),
      ...(['PUT', 'PATCH'] as const).map((method) =>
        plainRoute(context, {
          ...common,
          method,
          operationId: `exclusions${operation}${method === 'PUT' ? 'Update' : 'Patch'}`,
          summary: 'Sets the workspaces that are excluded from the organisation’s guardrails',
          scope: 'organisation_exclusions.update',
          body,
          handle: (call) => change(call, member),
        }),
      ),
    ]
  })
}

type ExclusionBody = {
  workspaces: { workspace_id: string; excluded: boolean }[]
  override_existing?: boolean
}

async function change(call: Call, member: Member): Promise<JsonObject> {
  // The body has passed its schema.
  const { workspaces, override_existing = false } = call.body as ExclusionBody
  await checkOrganisation(call, call.body.organisation_id, '/organisation_id')
  const organisation = await call.organisation()
  const excluded = new Set(override_existing ? [] : organisation.data[member])
  for (const [index, entry] of workspaces.entries()) {
    const found = await call.listedWorkspace(entry.workspace_id)
    if (found === null) {
      const param = `/workspaces/${index}/workspace_id`
      throw new GatewayError('invalid_body', `${param}: is not a workspace of this organisation`, { param })
    }
    if (entry.excluded) excluded.add(found.id)
    else excluded.delete(found.id)
  }
  const data: OrganisationData = { ...organisation.data, [member]: [...excluded] }
  const { version, ...rest } = organisation
  await call.commit(
    [{ op: 'put', document: { ...rest, last_updated_at: call.nowMs, data: { ...data } }, expected: version }],
    {
      action: 'update',
      resource_type: 'workspace-exclusion',
      resource_id: organisation.id,
      before: { [member]: organisation.data[member] },
      after: { [member]: data[member] },
    },
  )
  return answer(call, member)
}

async function answer(call: Call, member: Member): Promise<JsonObject> {
  const { data } = await call.organisation()
  const page = pagingOf(call.query)
  const from = page.current_page * page.page_size
  const visible = await call.visibleWorkspaces()
  const shown = data[member].filter((id) => visible === null || visible.includes(id))
  const rows = await Promise.all(
    shown.slice(from, from + page.page_size).map(async (id) => {
      const workspace = await call.find(kinds.workspace, id, call.organisationId)
      return {
        object: 'workspace-exclusion',
        workspace_id: id,
        slug: workspace?.slug ?? null,
        name: workspace?.name ?? null,
        excluded: true,
      }
    }),
  )
  return listAnswer(rows, shown.length, page)
}
