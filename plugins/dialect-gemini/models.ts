/**
 * `GET /v1beta/models` and `/v1beta/models/{model}`: the models of `GET /v1/models` in this format. A page token is the
 * number of models before its page.
 * Reference: https://ai.google.dev/api/models
 * Errors: `invalid_query`; 404 `not_found`.
 */
import { type Fault, faultsError, type JsonObject } from '@gateway/contract'
import type { DialectEndpoint, DialectModel, ModelPage } from '@gateway/contract/dialect'
import { Type } from '@sinclair/typebox'
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

export const listContentModels: DialectEndpoint = {
  id: 'listContentModels',
  scopes: ['models.list', 'completions.write', 'virtual_keys.list', 'providers.list'],
  needsWorkspace: false,
  isMetered: false,
  isLogged: false,
  format: contentFormat,
  routes: [
    {
      serves: 'model-list',
      path: `${root}/models`,
      operationId: 'listContentModels',
      summary: 'Lists the models that the caller may use, in the Gemini format',
      tag: 'Gemini',
      query,
      answer: list,
      page: readPage,
      render: (models, next) => ({
        models: models.map(renderModel),
        ...(next === null ? {} : { nextPageToken: String(next) }),
      }),
    },
    {
      serves: 'model',
      path: `${root}/models/*model`,
      operationId: 'retrieveContentModel',
      summary: 'Returns a model in the Gemini format',
      tag: 'Gemini',
      answer: model,
      idOf: (params) => modelOf(params.model ?? ''),
      render: renderModel,
    },
  ],
}

function readPage(given: URLSearchParams): ModelPage {
  const faults: Fault[] = []
  const number = (
    name: string,
    { least, most, fallback }: { least: number; most: number; fallback: number },
  ): number => {
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
  const limit = number('pageSize', { least: 1, most: largestPage, fallback: pageSize })
  const offset = number('pageToken', { least: 0, most: 999_999_999, fallback: 0 })
  if (faults.length > 0) throw faultsError(faults)
  return { offset, limit }
}

function renderModel({ id, slug, name, contextWindow }: DialectModel): JsonObject {
  return {
    name: `models/${id}`,
    version: '',
    displayName: name,
    ...(contextWindow === null ? {} : { inputTokenLimit: contextWindow }),
    supportedGenerationMethods: methodsOf(slug),
  }
}

/** Providers do not report which of their models create embeddings, but the models' names do. */
const methodsOf = (slug: string): string[] =>
  /embed/i.test(slug)
    ? ['embedContent', 'batchEmbedContents']
    : ['generateContent', 'streamGenerateContent', 'countTokens']
