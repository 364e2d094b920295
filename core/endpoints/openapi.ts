/**
 * What the core's own routes are, for the OpenAPI document; `app.ts` serves them, and a test holds the two together.
 * `*NAME` at the end of a path stands for all of its rest.
 */

import type { EndpointId, RouteDescription } from '@gateway/contract'
import type { FormRules } from '@gateway/contract/wire'
import { answerSchemas, requestForms, requestSchemas } from '@gateway/contract/wire'
import { type TSchema, Type } from '@sinclair/typebox'
import { inferenceRoutes } from './index.ts'

interface Wording {
  summary: string
  tag: string
  /** Content types of the answer beside JSON. */
  answers?: readonly string[]
}

const events = 'text/event-stream'
const transcripts = ['text/plain', 'text/vtt', events]

const wording: Partial<Record<EndpointId, Wording>> = {
  chatComplete: { summary: 'Create a chat completion', tag: 'Chat', answers: [events] },
  complete: { summary: 'Create a text completion', tag: 'Completions', answers: [events] },
  embed: { summary: 'Create embeddings', tag: 'Embeddings' },
  imageGenerate: { summary: 'Create images', tag: 'Images' },
  imageEdit: { summary: 'Edit images', tag: 'Images', answers: [events] },
  rerank: { summary: 'Order documents by relevance', tag: 'Rerank' },
  createSpeech: { summary: 'Create speech', tag: 'Audio', answers: ['audio/*', events] },
  createTranscription: { summary: 'Transcribe speech', tag: 'Audio', answers: transcripts },
  createTranslation: { summary: 'Translate speech', tag: 'Audio', answers: transcripts },
  moderate: { summary: 'Judge whether content is harmful', tag: 'Moderations' },
  messages: { summary: 'Create a message', tag: 'Messages', answers: [events] },
  countTokens: { summary: 'Count the tokens of a message', tag: 'Messages' },
  createModelResponse: { summary: 'Create a response', tag: 'Responses', answers: [events] },
}

const json = 'application/json'
const inferenceScope = 'completions.write'
const text = Type.String()

function inference(path: string, endpoint: EndpointId): RouteDescription {
  const { summary, tag, answers = [] } = wording[endpoint] ?? { summary: endpoint, tag: 'Inference' }
  const schema = requestSchemas[endpoint]
  const form = requestForms[endpoint]
  const answer = answerSchemas[endpoint]
  const bodyTypes = form === undefined ? [json] : [...(form.orJson ? [json] : []), 'multipart/form-data']
  return {
    method: 'POST',
    path,
    operationId: endpoint,
    summary,
    tag,
    scope: inferenceScope,
    ...(schema === undefined ? {} : { body: form === undefined ? schema : withFiles(schema, form) }),
    ...(answer === undefined ? {} : { answer }),
    media: { body: bodyTypes, answer: [...(answer === undefined ? [] : [json]), ...answers] },
  }
}

/** The body's schema with the files that a form holds beside it. */
function withFiles(schema: TSchema, { files }: FormRules): TSchema {
  const file = Type.Unsafe({
    description: 'A file of the form.',
    contentMediaType: 'application/octet-stream',
  })
  const fields = files.map(({ field }) => [field, Type.Optional(file)] as const)
  return Type.Object({ ...schema.properties, ...Object.fromEntries(fields) }, { additionalProperties: true })
}

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

/** With a vendor's header the list has that vendor's form. */
const modelList = Type.Object(
  {
    object: Type.Optional(Type.Literal('list')),
    total_count: Type.Optional(Type.Integer({ minimum: 0 })),
    has_more: Type.Boolean(),
    data: Type.Array(Type.Unsafe({ ...model, required: ['id'] })),
  },
  { title: 'ModelList', additionalProperties: true },
)

const number = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }))
const oneOf = (...names: string[]) => Type.Optional(Type.Unsafe({ enum: names }))

const modelQuery = Type.Object({
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

const anyModelScope = ['models.list', inferenceScope, 'virtual_keys.list', 'providers.list']

const models: RouteDescription[] = [
  {
    method: 'GET',
    path: '/v1/models',
    aliases: ['/models'],
    operationId: 'listModels',
    summary: 'List the models that may be named',
    tag: 'Models',
    scope: anyModelScope,
    query: modelQuery,
    answer: modelList,
  },
  {
    method: 'GET',
    path: '/v1/models/*id',
    aliases: ['/models/*id'],
    operationId: 'retrieveModel',
    summary: 'Read one model',
    tag: 'Models',
    scope: anyModelScope,
    answer: Type.Unsafe({ ...model, title: 'ListedModel', required: ['id'] }),
  },
]

const responseRoute = { tag: 'Responses', scope: inferenceScope } as const

const responses: RouteDescription[] = [
  {
    ...responseRoute,
    method: 'GET',
    path: '/v1/responses/:id',
    operationId: 'getModelResponse',
    summary: 'Read a response',
    query: Type.Object({
      stream: Type.Optional(Type.Boolean()),
      starting_after: number(0, 999_999_999),
      include_obfuscation: Type.Optional(Type.Boolean()),
    }),
    ...(answerSchemas.getModelResponse === undefined ? {} : { answer: answerSchemas.getModelResponse }),
    media: { answer: [json, events] },
  },
  {
    ...responseRoute,
    method: 'DELETE',
    path: '/v1/responses/:id',
    operationId: 'deleteModelResponse',
    summary: 'Delete a response',
    answer: Type.Object({ id: text, object: text, deleted: Type.Boolean() }, { additionalProperties: true }),
  },
  {
    ...responseRoute,
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    operationId: 'listResponseInputItems',
    summary: 'List what led to a response',
    query: Type.Object({
      limit: number(1, 100),
      order: oneOf('asc', 'desc'),
      after: Type.Optional(text),
      before: Type.Optional(text),
    }),
    answer: Type.Object(
      {
        object: Type.Literal('list'),
        data: Type.Array(Type.Object({}, { additionalProperties: true })),
        first_id: Type.Optional(Type.Unsafe({ type: ['string', 'null'] })),
        last_id: Type.Optional(Type.Unsafe({ type: ['string', 'null'] })),
        has_more: Type.Boolean(),
      },
      { title: 'ResponseItemList', additionalProperties: true },
    ),
  },
]

/** HEAD and OPTIONS are passed on as well. */
const proxies = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
  (method): RouteDescription => ({
    method,
    path: '/v1/proxy/*rest',
    operationId: `proxy${method.charAt(0)}${method.slice(1).toLowerCase()}`,
    summary: `${method} on any other route of a provider`,
    tag: 'Proxy',
    scope: inferenceScope,
    media: method === 'GET' ? { answer: ['*/*'] } : { body: ['*/*'], answer: ['*/*'] },
  }),
)

const health = (
  path: string,
  operationId: string,
  summary: string,
  said: Partial<RouteDescription>,
): RouteDescription => ({
  method: 'GET',
  path,
  operationId,
  summary,
  tag: 'Health',
  scope: 'public',
  ...said,
})

const healthRoutes: RouteDescription[] = [
  health('/healthz', 'getHealth', 'Whether the process lives', {
    answer: Type.Object({ status: Type.Literal('ok') }),
  }),
  health('/readyz', 'getReadiness', 'Whether it serves; 503 and the reason when not', {
    answer: Type.Object({ status: Type.Literal('ready') }),
    otherAnswers: { 503: Type.Object({ status: Type.Literal('not ready'), reason: text }) },
  }),
  health('/metrics', 'getMetrics', 'Metrics for Prometheus', { media: { answer: ['text/plain'] } }),
]

export const coreRoutes: readonly RouteDescription[] = [
  ...inferenceRoutes.map(({ path, endpoint }) => inference(path, endpoint)),
  ...models,
  ...responses,
  ...proxies,
  ...healthRoutes,
]
