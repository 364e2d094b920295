/** The models of an integration: the provider's, settings for them, and custom models (section 11). */

import {
  customHeaderFault,
  type Fault,
  faultsError,
  GatewayError,
  isGatewayError,
  type Json,
  type JsonObject,
  ownMember,
  type StoredDocument,
} from '@gateway/contract'
import {
  hidden,
  type IntegrationData,
  type IntegrationModel,
  isMasked,
  kinds,
  recordOf,
} from '@gateway/domain'
import {
  type Call,
  commaList,
  conflict,
  type ExtraRoute,
  isFileDocument,
  isOfFile,
  writerOf,
} from '../engine/index.ts'
import { isKeptElsewhere } from '../shared/index.ts'
import { indexIntegration } from './attributes.ts'
import { summaryOf } from './data.ts'
import { modelHostFault } from './model-hosts.ts'
import { listAnswer, listQuery, removeBody, removeQuery, updateBody } from './model-shape.ts'

type Integration = StoredDocument<IntegrationData>

const paths = [
  ['/:id/models', 'integrationModels'],
  ['/:id/integration-models', 'integrationModelsOlder'],
] as const

export const modelRoutes: readonly ExtraRoute<
  IntegrationData,
  'checkCredential' | 'checkUrl' | 'modelsOf' | 'priceOf' | 'providers'
>[] = paths.flatMap(
  ([path, operation]): ExtraRoute<
    IntegrationData,
    'checkCredential' | 'checkUrl' | 'modelsOf' | 'priceOf' | 'providers'
  >[] => [
    {
      method: 'GET',
      path,
      operationId: operation,
      summary: 'Lists the models of an integration',
      action: 'read',
      query: listQuery,
      answer: listAnswer,
      handle: (call, document) => presentModels(call, document, call.query),
    },
    {
      method: 'PUT',
      path,
      operationId: `${operation}Update`,
      summary: 'Enables, disables, names and prices the given models',
      action: 'update',
      body: updateBody,
      answer: listAnswer,
      handle: (call, document) => again(call, document, updateModels),
    },
    {
      method: 'DELETE',
      path,
      operationId: `${operation}Remove`,
      summary: 'Removes custom models and disables models of the provider',
      action: 'update',
      body: removeBody,
      query: removeQuery,
      isBodyOptional: true,
      answer: listAnswer,
      handle: (call, document) => again(call, document, removeModels),
    },
  ],
)

const maxTries = 5

/** Repeats a write that a concurrent one has overtaken, on the current state: the last write wins. */
async function again<Of extends Call>(
  call: Of,
  found: Integration,
  change: (call: Of, document: Integration) => Promise<JsonObject>,
): Promise<JsonObject> {
  let document = found
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change(call, document)
    } catch (error) {
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
      if (attempt === maxTries)
        throw conflict('This integration is being changed by other requests. Send the request again.')
      document = (await call.documents.get(kinds.integration, found.id)) ?? document
    }
  }
}

const said = (slug: string): IntegrationModel => ({
  slug,
  enabled: true,
  name: null,
  is_custom: false,
  is_finetune: false,
  base_model_slug: null,
  configurations: null,
  pricing_config: null,
  pricing_adjustments: null,
})

async function presentModels(
  call: Call<'modelsOf'>,
  document: Integration,
  { search, enabled }: Call['query'],
): Promise<JsonObject> {
  const { id, data } = document
  const bySlug = new Map(data.models.map((model) => [model.slug, model]))
  const known = await call.context.modelsOf(document)
  const catalogue = known
    .filter(({ slug }) => !bySlug.has(slug))
    .map(({ slug, name }) => ({ ...said(slug), name, enabled: data.allow_all_models }))
  const wanted = typeof search === 'string' ? search.toLowerCase() : ''
  const models = [...data.models, ...catalogue]
    .filter(
      ({ slug, name }) =>
        slug.toLowerCase().includes(wanted) || name?.toLowerCase().includes(wanted) === true,
    )
    .filter((model) => enabled === undefined || model.enabled === enabled)
    .map(presentModel)
  return {
    object: 'list',
    total: models.length,
    models,
    data: models,
    allow_all_models: data.allow_all_models,
    integration_id: id,
    ai_provider_id: data.ai_provider_id,
  }
}

/** Header values are hidden because some are credentials. */
function presentModel({ configurations, ...model }: IntegrationModel): JsonObject {
  const headers = configurations?.custom_headers
  const shown =
    configurations === null || headers === undefined
      ? configurations
      : {
          ...configurations,
          custom_headers: Object.fromEntries(Object.keys(headers).map((name) => [name, hidden])),
        }
  return { object: 'integration-model', ...model, configurations: shown }
}

async function updateModels(
  call: Call<'checkCredential' | 'checkUrl' | 'modelsOf' | 'priceOf' | 'providers'>,
  document: Integration,
): Promise<JsonObject> {
  const given = (call.body.models as JsonObject[] | undefined) ?? []
  const known = new Set((await call.context.modelsOf(document)).map(({ slug }) => slug))
  const before = new Map(document.data.models.map((model) => [model.slug, model]))
  const faults: Fault[] = []
  const models = given.map((model, index) =>
    readModel(call, document, { given: model, stored: before, param: `/models/${index}`, faults }),
  )
  for (const [index, { slug, is_custom, is_finetune }] of models.entries()) {
    if (is_custom || is_finetune || before.has(slug) || known.has(slug)) continue
    // The price list resolves more names of a model than it lists.
    if ((await call.context.priceOf(document.data.ai_provider_id, slug)) !== null) continue
    const message = 'is not a known model of this provider. To add it as a custom model, send is_custom: true'
    faults.push({ param: `/models/${index}/slug`, code: 'invalid_body', message })
  }
  if (new Set(models.map(({ slug }) => slug)).size < models.length) {
    faults.push({ param: '/models', code: 'invalid_body', message: 'contains the same slug twice' })
  }
  if (faults.length > 0) throw faultsError(faults)
  const merged = new Map([...before, ...models.map((model) => [model.slug, model] as const)])
  const allowsAll = call.body.allow_all_models
  return store(call, document, {
    models: [...merged.values()],
    allow_all_models: typeof allowsAll === 'boolean' ? allowsAll : document.data.allow_all_models,
  })
}

interface ReadModelOptions {
  given: JsonObject
  stored: ReadonlyMap<string, IntegrationModel>
  param: string
  faults: Fault[]
}

function readModel(
  call: Call<'checkCredential' | 'checkUrl' | 'providers'>,
  document: Integration,
  { given, stored, param, faults }: ReadModelOptions,
): IntegrationModel {
  const fault = (at: string, message: string, code: Fault['code'] = 'invalid_body') =>
    faults.push({ param: param + at, code, message })
  const { data } = document
  const { object: _, ...members } = given
  const slug = String(given.slug)
  const before = stored.get(slug)
  // The body has passed its schema.
  const model = { ...(before ?? said(slug)), ...members } as IntegrationModel
  const isOwn = model.is_custom || model.is_finetune
  if (
    isOwn &&
    model.base_model_slug === null &&
    summaryOf(call, data.ai_provider_id)?.choosesByModel === true
  ) {
    fault('/base_model_slug', "is required because the provider's format depends on the model")
  }
  const { configurations } = model
  if (configurations === null) return model
  if (Object.keys(configurations).length === 0) fault('/configurations', 'must not be empty')
  const { custom_host: host, custom_headers: headers = {} } = configurations
  if (host !== undefined) {
    const isUrl = /^https?:\/\/[^\s?#]+$/.test(host)
    const reason = isUrl ? call.context.checkUrl(host) : null
    if (!isUrl) fault('/configurations/custom_host', 'must be an http or https URL')
    const refused = reason ?? (isUrl ? modelHostFault(call, document, host) : null)
    if (refused !== null) fault('/configurations/custom_host', refused, 'host_not_allowed')
  }
  if (configurations.custom_headers === undefined) return model
  const isMovedModel = host !== before?.configurations?.custom_host
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const old = ownMember(before?.configurations?.custom_headers ?? {}, name)
    const at = `/configurations/custom_headers/${name}`
    const refused = customHeaderFault(name, value)
    if (refused !== null) fault(at, refused)
    if (!isMasked(value)) kept[name] = call.context.sealer.seal(value, recordOf(document))
    else if (old === undefined) fault(at, 'is a masked value: send the value itself')
    else if (isMovedModel) fault(at, isKeptElsewhere)
    // Stored values are encrypted and stay unchanged.
    else kept[name] = old
  }
  return { ...model, configurations: { ...configurations, custom_headers: kept } }
}

async function removeModels(call: Call<'modelsOf'>, document: Integration): Promise<JsonObject> {
  const queried = typeof call.query.slugs === 'string' ? commaList(call.query.slugs) : []
  const named = Array.isArray(call.body.slugs) ? call.body.slugs.map((slug: Json) => String(slug)) : []
  const slugs = new Set([...queried, ...named])
  if (slugs.size === 0) throw new GatewayError('invalid_body', '/slugs: is required', { param: '/slugs' })
  const bySlug = new Map(document.data.models.map((model) => [model.slug, model]))
  for (const slug of slugs) {
    const model = bySlug.get(slug)
    if (model?.is_custom === true || model?.is_finetune === true) bySlug.delete(slug)
    else bySlug.set(slug, { ...(model ?? said(slug)), enabled: false })
  }
  return store(call, document, {
    models: [...bySlug.values()],
    allow_all_models: document.data.allow_all_models,
  })
}

async function store(
  call: Call<'modelsOf'>,
  before: Integration,
  changed: Pick<IntegrationData, 'models' | 'allow_all_models'>,
): Promise<JsonObject> {
  if (isFileDocument(before)) throw isOfFile('integration', call.context.filePath)
  const data = { ...before.data, ...changed, updated_by: writerOf(call) }
  const document: Integration = { ...before, data, last_updated_at: call.nowMs }
  await call.commit([{ op: 'put', document: indexIntegration(document), expected: before.version }], {
    action: 'update',
    resource_type: 'integration-models',
    resource_id: before.id,
    workspace_id: before.workspace_id,
    before: auditOf(before.data),
    after: auditOf(data),
  })
  // All written models are shown, regardless of the query.
  return presentModels(call, document, {})
}

const auditOf = ({ models, allow_all_models }: IntegrationData): JsonObject => ({
  models: Object.fromEntries(models.map((model) => [model.slug, presentModel(model)])),
  allow_all_models,
})
