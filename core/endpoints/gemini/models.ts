/**
 * `GET /v1beta/models` and `/v1beta/models/{model}`: the models of `GET /v1/models` in this format. A page token is the
 * number of models before the page.
 * Reference: https://ai.google.dev/api/models
 * Errors: `invalid_query`; 404 `not_found`.
 */
import { type Fault, faultsError, type JsonObject } from '@gateway/contract'
import { Type } from '@sinclair/typebox'

import { type Answer, type CallerPorts, createAnswer, type Ports, type Routed } from '../../flow/index.ts'
import { declareEndpoint, inferenceScope, type ResolveConfig } from '../declare-endpoint.ts'
import { loadDetails } from '../models/details.ts'
import { isOfProvider, type ListedModel } from '../models/listed.ts'
import { allModels, modelById } from '../models/serve.ts'
import { modelOf, root } from './body.ts'
import { contentFormat } from './format.ts'

const pageSize = 50
const largestPage = 1000

const model = Type.Object(
  {
    name: Type.String(),
    displayName: Type.String(),
    version: Type.String(),
    inputTokenLimit: Type.Optional(Type.Integer()),
    supportedGenerationMethods: Type.Array(Type.String()),
  },
  { title: 'GeminiModel', additionalProperties: true },
)

const list = Type.Object(
  { models: Type.Array(model), nextPageToken: Type.Optional(Type.String()) },
  { title: 'GeminiModelList', additionalProperties: true },
)

const query = Type.Object({
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: largestPage })),
  pageToken: Type.Optional(Type.String()),
})

export const listContentModels = declareEndpoint({
  id: 'listContentModels',
  scopes: ['models.list', inferenceScope, 'virtual_keys.list', 'providers.list'],
  needsWorkspace: false,
  isMetered: false,
  isLogged: false,
  format: contentFormat,
  routes: [
    {
      method: 'GET',
      path: `${root}/models`,
      operationId: 'listContentModels',
      summary: 'Lists the models that the caller may use, in the Gemini format',
      tag: 'Gemini',
      query,
      answer: list,
      pipeline: 'config',
      serve: listModels,
    },
    {
      method: 'GET',
      path: `${root}/models/*model`,
      operationId: 'retrieveContentModel',
      summary: 'Returns a model in the Gemini format',
      tag: 'Gemini',
      answer: model,
      pipeline: 'config',
      serve: retrieveModel,
    },
  ],
})

type Params = Readonly<Record<string, string>>

async function listModels(
  exchange: Routed,
  _params: Params,
  resolve: ResolveConfig,
  ports: CallerPorts & Ports<'buffers' | 'log'>,
): Promise<Answer> {
  const { offset, limit } = readPage(exchange.transport.query)
  const found = await allModels(ports, exchange, resolve)
  const render = await renderer()
  const end = offset + limit
  return createAnswer({
    body: {
      models: found.slice(offset, end).map(render),
      ...(end < found.length ? { nextPageToken: String(end) } : {}),
    },
  })
}

async function retrieveModel(
  exchange: Routed,
  params: Params,
  resolve: ResolveConfig,
  ports: CallerPorts & Ports<'buffers' | 'log'>,
): Promise<Answer> {
  const found = await modelById(ports, exchange, modelOf(params.model ?? ''), resolve)
  const render = await renderer()
  return createAnswer({ body: render(found) })
}

function readPage(given: URLSearchParams): { offset: number; limit: number } {
  const faults: Fault[] = []
  const number = (name: string, least: number, most: number, fallback: number): number => {
    const written = given.get(name) || null
    if (written === null) return fallback
    const value = /^\d{1,9}$/.test(written) ? Number(written) : -1
    if (value >= least && value <= most) return value
    faults.push({
      param: `query/${name}`,
      code: 'invalid_query',
      message: `must be an integer from ${least} to ${most}`,
    })
    return fallback
  }
  const limit = number('pageSize', 1, largestPage, pageSize)
  const offset = number('pageToken', 0, 999_999_999, 0)
  if (faults.length > 0) throw faultsError(faults)
  return { offset, limit }
}

async function renderer(): Promise<(model: ListedModel) => JsonObject> {
  const details = await loadDetails(Date.now())
  return (each) => {
    const limit = isOfProvider(each) ? details(each).capabilities?.context_window : undefined
    return {
      name: `models/${each.info.id}`,
      version: '',
      displayName: each.name,
      ...(typeof limit === 'number' ? { inputTokenLimit: limit } : {}),
      supportedGenerationMethods: methodsOf(each),
    }
  }
}

/** Providers do not say which of their models embed; their names do. */
const methodsOf = ({ slug }: ListedModel): string[] =>
  /embed/i.test(slug)
    ? ['embedContent', 'batchEmbedContents']
    : ['generateContent', 'streamGenerateContent', 'countTokens']
