/** `GET /v1/models` and `GET /v1/models/{id}`, also without `/v1`. */
import { Type } from '@sinclair/typebox'
import { declareEndpoint, inferenceScope } from '../declare-endpoint.ts'
import { listModels, retrieveModel } from './serve.ts'

const text = Type.String()
const number = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }))
const oneOf = (...names: string[]) => Type.Optional(Type.Unsafe({ enum: names }))

const model = Type.Object(
  {
    id: text,
    object: Type.Literal('model'),
    created: Type.Integer(),
    owned_by: text,
    slug: text,
    name: text,
    provider: Type.Object({ slug: text, name: text }),
    ai_service: text,
    is_custom: Type.Boolean(),
  },
  { title: 'Model', additionalProperties: true },
)

/** A request with a vendor's header gets the list in that vendor's format. */
const modelList = Type.Object(
  {
    object: Type.Optional(Type.Literal('list')),
    total_count: Type.Optional(Type.Integer({ minimum: 0 })),
    has_more: Type.Boolean(),
    data: Type.Array(Type.Unsafe({ ...model, required: ['id'] })),
  },
  { title: 'ModelList', additionalProperties: true },
)

const modelQuery = Type.Object({
  workspace_id: Type.Optional(text),
  provider: Type.Optional(text),
  ai_service: Type.Optional(text),
  search: Type.Optional(text),
  limit: number(1, 1000),
  offset: number(0, 999_999_999),
  current_page: number(0, 999_999),
  page_size: number(1, 1000),
  sort: oneOf('name', 'provider', 'ai_service'),
  order: oneOf('asc', 'desc'),
})

export const models = declareEndpoint({
  id: 'listModels',
  scopes: ['models.list', inferenceScope, 'virtual_keys.list', 'providers.list'],
  needsWorkspace: false,
  isMetered: false,
  isLogged: false,
  routes: [
    {
      method: 'GET',
      path: '/v1/models',
      aliases: ['/models'],
      operationId: 'listModels',
      summary: 'Lists the models that the caller may use',
      tag: 'Models',
      query: modelQuery,
      answer: modelList,
      pipeline: 'config',
      serve: listModels,
    },
    {
      method: 'GET',
      path: '/v1/models/*id',
      aliases: ['/models/*id'],
      operationId: 'retrieveModel',
      summary: 'Returns a model',
      tag: 'Models',
      answer: Type.Unsafe({ ...model, title: 'ListedModel', required: ['id'] }),
      pipeline: 'config',
      serve: retrieveModel,
    },
  ],
})
