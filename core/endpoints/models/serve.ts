/**
 * `GET /v1/models` and `GET /v1/models/{id}`: the models that a caller may use. Clients that send a vendor's header get
 * the list in that vendor's format (see `ModelListFormat`). Errors: `invalid_query`, 404 `not_found`; those of
 * resolving a provider.
 */

import { decodeSegment, GatewayError, type JsonObject, type ModelListFormat } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import { type Answer, type CallerPorts, createAnswer, type Ports, type Routed } from '@gateway/flow'
import { splitModel } from '@gateway/routing'
import type { ResolveConfig } from '../declare-endpoint.ts'
import { findConfigModel } from './config-models.ts'
import { loadDetails } from './details.ts'
import { findModels } from './find.ts'
import { inEachWorkspace } from './in-each-workspace.ts'
import {
  isOfProvider,
  type ListedModel,
  type ModelDetails,
  type ProviderModel,
  renderModel,
} from './listed.ts'
import { type ModelQuery, readModelQuery } from './query.ts'

const pageSize = 100

type Params = Readonly<Record<string, string>>

interface ListModelsOptions {
  run: ResolveConfig
  ports: CallerPorts & Ports<'buffers' | 'log'>
}

export async function listModels(
  exchange: Routed,
  _params: Params,
  { run: resolve, ports }: ListModelsOptions,
): Promise<Answer> {
  const format = formatOf(exchange)
  const query = readModelQuery(exchange.transport.query, format?.pageSize ?? pageSize)
  const models = await inEachWorkspace(ports, exchange, (each) =>
    findModels(ports, each, { wanted: query, resolve }),
  )
  const found = sortModels(filterModels(models, query), query)
  const body =
    format === null ? await compatiblePage(found, query) : vendorPage(exchange, found, { query, format })
  return createAnswer({ body })
}

/** All models that a request may see, in the order of their names. */
export async function allModels(
  ports: CallerPorts & Ports<'buffers' | 'log'>,
  exchange: Routed,
  resolve: ResolveConfig,
): Promise<ListedModel[]> {
  const wanted = { provider: null, aiService: null }
  const models = await inEachWorkspace(ports, exchange, (each) =>
    findModels(ports, each, { wanted, resolve }),
  )
  return sortModels(models, byName)
}

const byName = { sort: 'name', isDescending: false } as const

export async function retrieveModel(
  exchange: Routed,
  _params: Params,
  { run: resolve, ports }: ListModelsOptions,
): Promise<Answer> {
  const model = await modelById(ports, exchange, { id: idOf(exchange.transport.path), resolve })
  const format = formatOf(exchange)
  const body =
    format === null
      ? renderModel(model, detailsOf(model, await loadDetails(Date.now())))
      : format.model({ ...model.info, name: model.name })
  return createAnswer({ body })
}

/** A model that the request may see. Errors: 404 `not_found`. */
export async function modelById(
  ports: CallerPorts & Ports<'buffers' | 'log'>,
  exchange: Routed,
  { id, resolve }: { id: string; resolve: ResolveConfig },
): Promise<ListedModel> {
  const all = await inEachWorkspace(ports, exchange, (each) => candidates(ports, each, { id, resolve }))
  const [model] = sortModels(
    all.filter(({ info, slug: name }) => info.id === id || name === id),
    byName,
  )
  if (model !== undefined) return model
  const known = all.map(({ info, slug: name }) => name ?? info.id)
  throw new GatewayError('not_found', unknownName({ what: 'model', written: id, known }), {
    param: 'path/id',
  })
}

/** The models among which an id is looked up. */
async function candidates(
  ports: Ports<'buffers' | 'log'>,
  exchange: Routed,
  { id, resolve }: { id: string; resolve: ResolveConfig },
): Promise<ListedModel[]> {
  const config = await findConfigModel(exchange, id)
  if (config !== null) return [config]
  const slug = splitModel(id)?.slug ?? null
  // Some providers' own model names also begin with `@`.
  const provider = slug !== null && exchange.workspace.storedTargets.has(slug) ? slug : null
  return findModels(ports, exchange, { wanted: { provider, aiService: null }, resolve })
}

/** The id after `/models/`; ids contain slashes, plain or encoded. */
const idOf = (path: string): string => decodeSegment(path.slice(path.indexOf('/models/') + '/models/'.length))

function formatOf({ workspace, transport }: Routed): ModelListFormat | null {
  for (const { modelList } of workspace.context.registry.providers.values()) {
    if (modelList !== undefined && transport.headers[modelList.header] !== undefined) return modelList
  }
  return null
}

function filterModels(models: readonly ListedModel[], { search }: ModelQuery): ListedModel[] {
  const wanted = search?.toLowerCase() ?? ''
  return models.filter(
    ({ info, name }) => info.id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
  )
}

const sortKeys = {
  name: ({ name }: ListedModel) => name,
  provider: ({ provider }: ListedModel) => provider,
  ai_service: ({ aiService }: ListedModel) => aiService,
}

function sortModels(
  models: ListedModel[],
  { sort, isDescending }: Pick<ModelQuery, 'sort' | 'isDescending'>,
): ListedModel[] {
  const key = sortKeys[sort]
  const sorted = models.sort(
    (left, right) => compare(key(left), key(right)) || compare(left.info.id, right.info.id),
  )
  return isDescending ? sorted.reverse() : sorted
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

async function compatiblePage(
  found: readonly ListedModel[],
  { offset, limit }: ModelQuery,
): Promise<JsonObject> {
  const page = found.slice(offset, offset + limit)
  const details = await loadDetails(Date.now())
  return {
    object: 'list',
    total_count: found.length,
    has_more: offset + page.length < found.length,
    data: page.map((model) => renderModel(model, detailsOf(model, details))),
  }
}

const detailsOf = (model: ListedModel, details: (model: ProviderModel) => ModelDetails): ModelDetails =>
  isOfProvider(model) ? details(model) : { capabilities: null, pricing: null }

interface VendorPageOptions {
  query: ModelQuery
  format: ModelListFormat
}

/** Paging by id: after `after_id`, or before `before_id`. An unknown id restarts from the beginning. */
function vendorPage(
  { transport }: Routed,
  found: readonly ListedModel[],
  { query: { offset, limit }, format }: VendorPageOptions,
): JsonObject {
  const at = (name: string) => found.findIndex(({ info }) => info.id === transport.query.get(name))
  const before = at('before_id')
  const start = before === -1 ? Math.max(offset, at('after_id') + 1) : Math.max(0, before - limit)
  const end = before === -1 ? start + limit : before
  const page = found.slice(start, end).map(({ info, name }) => format.model({ ...info, name }))
  return format.page(page, before === -1 ? end < found.length : start > 0)
}
