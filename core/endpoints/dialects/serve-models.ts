/** Answers the routes of dialects for models, with the models of `GET /v1/models`. Errors: 404 `not_found`. */
import type { DialectModel, DialectRoute } from '@gateway/contract/dialect'
import { createAnswer } from '@gateway/flow'
import type { EndpointRoute } from '../declare-endpoint.ts'
import { loadDetails } from '../models/details.ts'
import { isOfProvider, type ListedModel } from '../models/listed.ts'
import { allModels, modelById } from '../models/serve.ts'

type Serve = Extract<EndpointRoute, { pipeline: 'config' }>['serve']
type ModelListRoute = Extract<DialectRoute, { serves: 'model-list' }>
type ModelRoute = Extract<DialectRoute, { serves: 'model' }>

export const serveModelList =
  ({ page, render }: Pick<ModelListRoute, 'page' | 'render'>): Serve =>
  async (exchange, _params, { run: resolve, ports }) => {
    const { offset, limit } = page(exchange.transport.query)
    const found = await allModels(ports, exchange, resolve)
    const describe = await describer()
    const end = offset + limit
    const models = found.slice(offset, end).map(describe)
    return createAnswer({ body: render(models, end < found.length ? end : null) })
  }

export const serveModel =
  ({ idOf, render }: Pick<ModelRoute, 'idOf' | 'render'>): Serve =>
  async (exchange, params, { run: resolve, ports }) => {
    const found = await modelById(ports, exchange, { id: idOf(params), resolve })
    const describe = await describer()
    return createAnswer({ body: render(describe(found)) })
  }

async function describer(): Promise<(model: ListedModel) => DialectModel> {
  const details = await loadDetails(Date.now())
  return (model) => {
    const limit = isOfProvider(model) ? details(model).capabilities?.context_window : undefined
    const { info, slug, name } = model
    return { id: info.id, slug, name, contextWindow: typeof limit === 'number' ? limit : null }
  }
}
