/** The workspaces that may use an integration of the organisation, and their limits. */

import type { JsonObject, StoredDocument } from '@gateway/contract'
import {
  type IntegrationAccessData,
  type IntegrationData,
  kinds,
  type Limits,
  limitOwners,
  slugPattern,
} from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { type Call, nullable } from '../engine/index.ts'
import {
  loadUsage,
  presentLimits,
  rateLimitsAnswer,
  rateLimitsInput,
  usageLimitsAnswer,
  usageLimitsInput,
} from '../shared/index.ts'
import { isUsableBy } from './data.ts'

/** The access of one workspace in a body. */
export const accessInput: TSchema = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    enabled: Type.Boolean(),
    usage_limits: Type.Optional(usageLimitsInput),
    rate_limits: Type.Optional(rateLimitsInput),
    reset_usage: Type.Optional(Type.Boolean()),
    create_default_provider: Type.Optional(Type.Boolean()),
    default_provider_slug: Type.Optional(nullable(Type.String({ pattern: slugPattern }))),
    // Read-only; accepted so that callers can send an answer back.
    object: Type.Optional(Type.String()),
    name: Type.Optional(nullable(Type.String())),
    slug: Type.Optional(nullable(Type.String())),
    last_reset_at: Type.Optional(nullable(Type.String())),
    status: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

/** The access of workspaces without their own setting. */
export const accessTemplateInput: TSchema = Type.Object(
  {
    enabled: Type.Boolean(),
    usage_limits: Type.Optional(usageLimitsInput),
    rate_limits: Type.Optional(rateLimitsInput),
  },
  { additionalProperties: false },
)

export const accessTemplateAnswer: TSchema = Type.Object(
  { enabled: Type.Boolean(), usage_limits: usageLimitsAnswer, rate_limits: rateLimitsAnswer },
  { additionalProperties: false },
)

const accessAnswer = Type.Object(
  {
    object: Type.Literal('integration-workspace'),
    id: Type.String(),
    name: nullable(Type.String()),
    slug: nullable(Type.String()),
    enabled: Type.Boolean(),
    usage_limits: usageLimitsAnswer,
    rate_limits: rateLimitsAnswer,
    last_reset_at: nullable(Type.String()),
    status: Type.Union([Type.Literal('active'), Type.Literal('exhausted')]),
  },
  { additionalProperties: false },
)

export const accessListAnswer: TSchema = Type.Object(
  {
    object: Type.Literal('list'),
    total: Type.Integer(),
    workspaces: Type.Array(accessAnswer),
    data: Type.Array(accessAnswer),
    global_workspace_access: nullable(accessTemplateAnswer),
  },
  { additionalProperties: false },
)

/** The unique key of one workspace's access. */
export const accessKey = (integrationId: string, workspaceId: string) =>
  `access:${integrationId}/${workspaceId}`

export function presentTemplate(template: IntegrationData['global_workspace_access']): JsonObject | null {
  if (template === null || template === undefined) return null
  return { enabled: template.enabled, ...presentLimits(template, null, 'list') }
}

const noLimits: Limits = { usage_limits: [], rate_limits: [] }

/**
 * The access entries that the caller may see: all that are set explicitly, and always that of the caller's workspace.
 */
export async function presentAccesses(
  call: Call<'counters'>,
  integration: StoredDocument<IntegrationData>,
  accesses: readonly StoredDocument<IntegrationAccessData>[],
): Promise<JsonObject> {
  const visible = await call.visibleWorkspaces()
  const said = new Map(accesses.map((access) => [access.workspace_id ?? '', access]))
  const own = integration.workspace_id === null ? [] : [integration.workspace_id]
  const shown = visible === null ? [...own, ...said.keys()] : visible
  const names = await workspacesByIds(call, shown)
  const views = await Promise.all(
    shown
      .filter((id) => names.has(id) && (said.has(id) || isUsableBy(integration, id)))
      .map((id) =>
        presentAccess(call, integration, {
          storedDocument: names.get(id) as StoredDocument,
          access: said.get(id),
        }),
      ),
  )
  return {
    object: 'list',
    total: views.length,
    workspaces: views,
    data: views,
    global_workspace_access: presentTemplate(integration.data.global_workspace_access),
  }
}

interface PresentAccessOptions {
  storedDocument: StoredDocument
  access: StoredDocument<IntegrationAccessData> | undefined
}

async function presentAccess(
  call: Call<'counters'>,
  integration: StoredDocument<IntegrationData>,
  { storedDocument: { id, name, slug }, access }: PresentAccessOptions,
): Promise<JsonObject> {
  const data = access?.data
  const limits = data ?? integration.data.global_workspace_access ?? noLimits
  const owner = limitOwners.integration(integration.id, id)
  const states = await loadUsage(call.context.counters, owner, {
    limits: limits.usage_limits,
    nowMs: call.nowMs,
  })
  return {
    object: 'integration-workspace',
    id,
    name,
    slug,
    enabled: isUsableBy(integration, id),
    ...presentLimits(limits, states, 'list'),
    last_reset_at: data?.last_reset_at ?? null,
    status: states?.some(({ status }) => status === 'exhausted') === true ? 'exhausted' : 'active',
  }
}

async function workspacesByIds(call: Call, ids: readonly string[]): Promise<Map<string, StoredDocument>> {
  const found = new Map<string, StoredDocument>()
  for (const document of call.context.fileDocuments()) {
    if (document.kind === kinds.workspace && ids.includes(document.id)) found.set(document.id, document)
  }
  for (let start = 0; start < ids.length; start += 100) {
    const page = ids.slice(start, start + 100)
    const { documents } = await call.documents.list(
      kinds.workspace,
      { organisation_id: call.organisationId, statuses: ['active'], ids: page },
      { offset: 0, limit: page.length },
    )
    for (const document of documents) if (!found.has(document.id)) found.set(document.id, document)
  }
  return found
}
