/** `GET /v1/models`: the models of the configured providers, as `@slug/model`. */
import { createAnswer } from '../answer.ts'
import { type Fault, faultsError, GatewayError, type JsonObject } from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'

const listScopes = ['models.list', 'completions.write', 'virtual_keys.list', 'providers.list', '*']
const sorts = ['name', 'provider', 'ai_service'] as const
type Sort = (typeof sorts)[number]

interface Query {
  provider: string | null
  aiService: string | null
  search: string | null
  limit: number
  offset: number
  sort: Sort
  descending: boolean
}

interface ListedModel extends JsonObject {
  id: string
  name: string
  slug: string
  ai_service: string
  provider: { slug: string; name: string }
}

export async function listModels(exchange: Exchange): Promise<void> {
  const { scopes } = required(exchange.identity, 'identity')
  if (!listScopes.some((scope) => scopes.has(scope))) {
    throw new GatewayError('missing_scope', 'This key lacks the scope models.list.', { param: 'models.list' })
  }
  const query = readQuery(exchange.transport.query)
  const found = configuredModels(exchange).filter((model) => matches(model, query))
  const sortKey = (model: ListedModel) =>
    query.sort === 'provider' ? model.provider.slug : model[query.sort]
  found.sort((left, right) => compare(sortKey(left), sortKey(right)) || compare(left.id, right.id))
  if (query.descending) found.reverse()
  const page = found.slice(query.offset, query.offset + query.limit)
  exchange.answer = createAnswer({
    body: {
      object: 'list',
      total_count: found.length,
      has_more: query.offset + page.length < found.length,
      data: page,
    },
  })
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

function configuredModels(exchange: Exchange): ListedModel[] {
  const { context } = exchange.settings
  return [...context.credentials].flatMap(([slug, { provider }]) => {
    const adapter = context.registry.providers.get(provider)
    return (adapter?.models ?? []).map((model) => ({
      id: `@${slug}/${model.id}`,
      object: 'model',
      created: model.created ?? 0,
      owned_by: model.owned_by ?? provider,
      slug: model.id,
      name: model.id,
      provider: { slug, name: slug },
      ai_service: provider,
      is_custom: false,
    }))
  })
}

function matches(model: ListedModel, query: Query): boolean {
  if (query.provider !== null && model.provider.slug !== query.provider.replace(/^@/, '')) return false
  if (query.aiService !== null && model.ai_service !== query.aiService) return false
  return query.search === null || model.id.toLowerCase().includes(query.search.toLowerCase())
}

function readQuery(query: URLSearchParams): Query {
  const faults: Fault[] = []
  const fault = (name: string, message: string) =>
    faults.push({ param: `query/${name}`, code: 'invalid_query', message })
  const integer = (name: string, fallback: number, minimum: number, maximum: number): number => {
    const written = query.get(name)
    if (written === null) return fallback
    const value = /^\d{1,9}$/.test(written) ? Number(written) : -1
    if (value < minimum || value > maximum) fault(name, `must be an integer from ${minimum} to ${maximum}`)
    return value
  }
  const pageSize = integer(query.has('pageSize') ? 'pageSize' : 'page_size', 100, 1, 1000)
  const page = integer(query.has('currentPage') ? 'currentPage' : 'current_page', 0, 0, 999_999)
  const limit = integer('limit', pageSize, 1, 1000)
  const offset = integer('offset', page * pageSize, 0, 999_999_999)
  const sort = query.get('sort') ?? 'name'
  if (!sorts.includes(sort as Sort)) fault('sort', `must be one of ${sorts.join(', ')}`)
  const order = query.get('order') ?? 'asc'
  if (order !== 'asc' && order !== 'desc') fault('order', 'must be asc or desc')
  if (faults.length > 0) throw faultsError(faults)
  return {
    provider: query.get('provider'),
    aiService: query.get('ai_service'),
    search: query.get('search'),
    limit,
    offset,
    sort: sort as Sort,
    descending: order === 'desc',
  }
}
