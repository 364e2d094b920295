/**
 * Integrations (management contract, section 11): a provider's credential, stored once, for one workspace or for the
 * organisation. Secrets are encrypted together; answers show masks.
 */

import { type Fault, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import { type IntegrationData, isMasked, kinds, pricingAdjustmentsSchema } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  defineResource,
  description,
  invalidQuery,
  listAll,
  nullable,
  slugSchema,
  type Write,
} from '../engine/index.ts'
import { tagsSchema } from '../shared/index.ts'
import { accessTemplateAnswer, presentTemplate } from './access.ts'
import { integrationAttributes, typeOf } from './attributes.ts'
import { takeCredential } from './credential.ts'
import { exceptionOf, isUsableBy, shownConfigurations } from './data.ts'
import { defaultProvider } from './default-provider.ts'
import { modelRoutes } from './models.ts'
import { mappingsAnswer, mappingsInput } from './secret-mappings.ts'
import { testRoute } from './test.ts'
import { workspaceRoutes } from './workspaces.ts'

export const integrations = defineResource<
  IntegrationData,
  'checkCredential' | 'checkUrl' | 'counters' | 'modelsOf' | 'priceOf' | 'providers' | 'tryCredential'
>({
  kind: kinds.integration,
  object: 'integration',
  title: 'integration',
  tag: 'Integrations',
  operation: 'integration',
  path: '/integrations',
  aliases: ['/integrations'],
  level: 'either',
  families: [
    { family: 'organisation_integrations', level: 'organisation', isShared: true },
    { family: 'workspace_integrations', level: 'workspace' },
  ],
  slug: { prefix: '', scope: 'organisation' },
  fields: {
    ai_provider_id: {
      schema: Type.String({ minLength: 1, maxLength: 255 }),
      isRequired: true,
      writable: 'create',
    },
    key: { schema: Type.String({ minLength: 1, maxLength: 65_536 }), secret: true },
    description: { schema: description },
    configurations: { schema: Type.Object({}, { additionalProperties: true }), default: {}, merge: 'one' },
    secret_mappings: { schema: mappingsInput, default: [], answer: mappingsAnswer },
    pricing_adjustments: { schema: pricingAdjustmentsSchema },
    allow_all_models: { schema: Type.Boolean(), default: true },
    tags: { schema: tagsSchema },
    create_default_provider: { schema: Type.Boolean(), writable: 'create', isTransient: true },
    default_provider_slug: { schema: slugSchema, writable: 'create', isTransient: true, isNullable: true },
  },
  answers: {
    type: Type.Union([Type.Literal('organisation'), Type.Literal('workspace')]),
    workspace_count: Type.Integer({ minimum: 0 }),
    global_workspace_access_settings: nullable(accessTemplateAnswer),
    last_reset_at: nullable(Type.String()),
    default_provider: Type.Object(
      { id: Type.String(), slug: Type.String() },
      { additionalProperties: false },
    ),
  },
  filters: {
    ai_provider_id: { schema: Type.String(), attribute: 'ai_provider_id' },
    type: {
      schema: Type.String({ description: '`organisation`, `workspace` or `all`.' }),
      apply(written, filter) {
        if (!['organisation', 'workspace', 'all'].includes(written)) {
          throw invalidQuery('type', 'must be organisation, workspace or all')
        }
        if (written !== 'all') filter.attributes = { ...filter.attributes, type: [written] }
      },
    },
  },
  hooks: {
    prepare,
    attributes: integrationAttributes,
    narrowList,
    present,
    inUse: ({ id }, call) => liveProviders(call, id),
  },
  routes: [...modelRoutes, ...workspaceRoutes, testRoute],
})

/** Lists the integrations that the workspace may use, but never those created for a virtual key. */
async function narrowList(
  filter: { attributes?: Readonly<Record<string, readonly string[]>> },
  call: Call,
  workspaceId: string | null,
): Promise<void> {
  filter.attributes = { ...filter.attributes, hidden: ['false'] }
  if (workspaceId === null) return
  const partly = await listAll(call, kinds.integration, {
    organisation_id: call.organisationId,
    attributes: { has_exceptions: ['true'] },
  })
  const usable = partly.filter((one) => isUsableBy(one, workspaceId))
  filter.attributes = {
    ...filter.attributes,
    usable_by: [workspaceId, '*', ...usable.map(({ id }) => exceptionOf(id))],
  }
}

async function prepare(write: Write<IntegrationData, 'checkCredential' | 'providers'>): Promise<void> {
  const { draft, body, action, call } = write
  if (action === 'archive') return
  if (action === 'create') {
    draft.data = { ...emptyIntegration, ...draft.data }
  }
  const faults: Fault[] = []
  await takeCredential(write, {
    provider: draft.data.ai_provider_id,
    configurations: isObject(body.configurations) ? body.configurations : null,
    mappings: write.isGiven('secret_mappings') ? (body.secret_mappings ?? []) : undefined,
    prefix: 'configurations',
    hasNewKey: write.isGiven('key') && !isMasked(body.key),
    faults,
  })
  for (const { param, message, code } of faults) write.fault(param, message, code)
  if (faults.length > 0 || action !== 'create' || draft.workspace_id === null) return
  if (body.create_default_provider === false) return
  const provider = await defaultProvider(call, {
    integration: draft,
    workspaceId: draft.workspace_id,
    slug: typeof body.default_provider_slug === 'string' ? body.default_provider_slug : null,
    param: '/default_provider_slug',
  })
  write.also.push({ op: 'put', document: provider, expected: 0 })
  write.shown.default_provider = { id: provider.id, slug: provider.slug }
}

/** Values of members that the body does not set. */
export const emptyIntegration = {
  sealed: null,
  masked_key: null,
  masked_configurations: {},
  models: [],
  global_workspace_access: null,
  workspace_access: {},
  last_reset_at: null,
} satisfies Partial<IntegrationData>

async function present(document: StoredDocument<IntegrationData>, call: Call): Promise<JsonObject> {
  const { data } = document
  return {
    configurations: shownConfigurations(data),
    secret_mappings: data.secret_mappings.map((mapping): JsonObject => ({ ...mapping })),
    type: typeOf(document),
    workspace_count: await countWorkspaces(document, call),
    global_workspace_access_settings: presentTemplate(data.global_workspace_access),
    last_reset_at: data.last_reset_at,
  }
}

async function countWorkspaces(document: StoredDocument<IntegrationData>, call: Call): Promise<number> {
  if (document.workspace_id !== null) return 1
  const said = Object.values(document.data.workspace_access ?? {})
  if (document.data.global_workspace_access?.enabled !== true) return said.filter(Boolean).length
  return (await totalWorkspaces(call)) - said.filter((isEnabled) => !isEnabled).length
}

/** The number of live workspaces of the organisation; read once per call. */
function totalWorkspaces(call: Call): Promise<number> {
  const known = call.memory.get('live workspaces') as Promise<number> | undefined
  if (known !== undefined) return known
  const asked = call.documents
    .list(
      kinds.workspace,
      { organisation_id: call.organisationId, statuses: ['active'] },
      { offset: 0, limit: 1 },
    )
    .then(({ total }) => total)
  call.memory.set('live workspaces', asked)
  return asked
}

async function liveProviders(call: Call, id: string): Promise<string[]> {
  const { documents } = await call.documents.list(
    kinds.provider,
    {
      organisation_id: call.organisationId,
      statuses: ['active', 'exhausted', 'expired'],
      attributes: { integration_id: [id] },
    },
    { offset: 0, limit: 11 },
  )
  return documents.map(({ slug, name }) => `provider ${slug ?? name ?? ''}`)
}
