/**
 * One route as an operation of the document: its description and requirements, its parameters, body and answers, with
 * examples.
 */
import { isObject, type Json, type JsonObject, type RouteDescription } from '@gateway/contract'
import { descriptionOf as describe } from './description.ts'
import { errorReference } from './errors.ts'
import { exampleOf } from './example.ts'
import { parametersOf, templateOf } from './path.ts'
import type { Components } from './schema.ts'

const json = 'application/json'
const events = 'text/event-stream'

/** Inference can also be denied by a guardrail (446, 246) and limited (429). */
const inferenceScope = 'completions.write'

export function operationOf(route: RouteDescription, path: string, components: Components): JsonObject {
  const { operationId, summary, tag, scope, listener } = route
  const parameters = [...pathParameters(path), ...queryParameters(route, components)]
  const body = bodyOf(route, components)
  return {
    operationId,
    summary,
    description: describe(
      route,
      [route.path, ...(route.aliases ?? [])].filter((other) => other !== path).map(templateOf),
    ),
    tags: [tag],
    'x-scope': writtenScope(scope),
    'x-listener': listener ?? 'main',
    ...(scope === 'public' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: responsesOf(route, path, components),
  }
}

/** A single scope is a string. A list means that any one suffices. Null: no particular scope. */
function writtenScope(scope: RouteDescription['scope']): Json {
  if (scope === 'public' || scope === null) return null
  if (typeof scope === 'string') return scope
  const [first, ...more] = scope
  return more.length === 0 ? (first ?? null) : [...scope]
}

/** Example values of path parameters. */
const pathExamples: Readonly<Record<string, string>> = {
  slug: 'my-server',
  provider: 'openai',
  graph: 'requests',
  groupBy: 'ai-models',
  key: 'team',
  part: 'p99',
}

const pathParameters = (path: string): JsonObject[] =>
  parametersOf(path).map(({ name, isRest }) => ({
    name,
    in: 'path',
    required: true,
    description: isRest
      ? 'The rest of the path; it may contain slashes.'
      : `The ${name
          .replace(/([A-Z])|_/g, ' $1')
          .trim()
          .toLowerCase()} in the path.`,
    example: isRest
      ? 'some/path'
      : (pathExamples[name] ?? exampleOf({ type: 'string' }, () => null, { name: `${name}_id` }) ?? ''),
    schema: { type: 'string' },
  }))

function queryParameters({ query }: RouteDescription, components: Components): JsonObject[] {
  if (query === undefined) return []
  const { properties = {}, required } = components.inline(query)
  const names = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema = {}]) => ({
    name,
    in: 'query',
    required: names.includes(name),
    ...descriptionOf(schema),
    ...(names.includes(name) ? { example: exampleOf(schema, components.resolve, { name }) ?? 'value' } : {}),
    schema,
  }))
}

const descriptionOf = (schema: Json): JsonObject =>
  isObject(schema) && typeof schema.description === 'string' ? { description: schema.description } : {}

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Every gateway has the embedded provider unless its operator removes it, so the examples work unchanged. */
const exampleModel = '@echo/echo-1'

function exampleBody({ body, scope, example }: RouteDescription, schema: JsonObject, components: Components) {
  if (example === undefined) return body === undefined ? {} : exampleOf(schema, components.resolve)
  const takesModel = scope === inferenceScope && isObject(body?.properties) && 'model' in body.properties
  return takesModel ? { model: exampleModel, ...example } : example
}

function bodyOf(route: RouteDescription, components: Components): JsonObject | null {
  const { operationId, body, media } = route
  const types = media?.body ?? (body === undefined ? [] : [json])
  if (types.length === 0) return null
  const schema = body === undefined ? {} : components.refer(body, `${pascal(operationId)}Body`)
  const example = exampleBody(route, schema, components)
  const content = { ...(body === undefined ? {} : { schema }), ...(example === undefined ? {} : { example }) }
  // Actions accept an empty body or none.
  const isRequired = body !== undefined && Array.isArray(body.required) && body.required.length > 0
  return { required: isRequired, content: Object.fromEntries(types.map((type) => [type, content])) }
}

const isJson = (type: string) => /[/+]json$/.test(type)

/** The schema of an answer with this type, with an example if it is JSON. */
function mediaType(type: string, route: RouteDescription, components: Components): JsonObject {
  const { operationId, answer, event } = route
  const named = (schema: object, name: string) => components.refer(schema, `${pascal(operationId)}${name}`)
  if (type === events) return { schema: event === undefined ? { type: 'string' } : named(event, 'Event') }
  if (!isJson(type)) return { schema: { type: 'string', ...(isText(type) ? {} : { format: 'binary' }) } }
  if (answer === undefined) return { schema: { type: 'object', additionalProperties: true } }
  const schema = named(answer, 'Answer')
  const example = exampleOf(schema, components.resolve)
  return { schema, ...(example === undefined ? {} : { example }) }
}

const isText = (type: string) => /^text\/|jsonl$|ndjson$/.test(type)

/** Whether every answer has its own status, such as a redirect. */
const isNever200 = ({ answer, media, otherAnswers = {} }: RouteDescription) =>
  answer === undefined &&
  media?.answer === undefined &&
  ['101', '302'].some((status) => status in otherAnswers)

function responsesOf(route: RouteDescription, path: string, components: Components): JsonObject {
  const { scope, method, otherAnswers = {} } = route
  const good = goodAnswer(route, components)
  const isInference = scope === inferenceScope
  const responses: JsonObject = isNever200(route) ? {} : { '200': good }
  if (isInference && !isNever200(route))
    responses['246'] = {
      ...good,
      description: 'The answer, although a guardrail without `deny` failed: `hook_results` names it.',
    }
  if (method === 'GET' && scope !== 'public' && !isInference) {
    responses['304'] = { description: 'Not modified: the object still has the version of `if-none-match`.' }
  }
  const refusals = [
    '400',
    ...(scope === 'public' ? [] : ['401']),
    ...(scope === 'public' || scope === null ? [] : ['403']),
    ...(parametersOf(path).length === 0 ? [] : ['404']),
    ...(method === 'GET' || isInference || scope === 'public' ? [] : ['409']),
    ...(method === 'GET' || scope === 'public' ? [] : ['412']),
    ...(isInference ? ['429', '446'] : []),
    'default',
  ]
  const { error } = route.media ?? {}
  for (const status of refusals) {
    responses[status] = error === undefined ? errorReference(status) : ownError(error)
  }
  for (const [status, schema] of Object.entries(otherAnswers)) {
    const reference = components.refer(schema, `${pascal(route.operationId)}Answer${status}`)
    const types = route.media?.answer ?? [json]
    responses[status] = {
      description: answerNames[status] ?? 'An answer with its own schema.',
      // These statuses never have content.
      ...(status === '204' || status === '302' || status === '101'
        ? {}
        : { content: Object.fromEntries(types.map((type) => [type, { schema: reference }])) }),
    }
  }
  return responses
}

/** Statuses of answers that have their own schema. */
const answerNames: Readonly<Record<string, string>> = {
  '101': 'The connection becomes a WebSocket.',
  '201': 'Created.',
  '202': 'Accepted: the work continues in the background.',
  '204': 'Success, without a body.',
  '302': 'Redirects the browser.',
  '503': 'Currently unavailable.',
}

/** An error in the format that clients of a standard expect. */
const ownError = (type: string): JsonObject => ({
  description: 'An error in the format of the standard that this route follows.',
  content: { [type]: { schema: { type: 'object' } } },
})

function goodAnswer(route: RouteDescription, components: Components): JsonObject {
  const types = route.media?.answer ?? [json]
  const content = types.map((type) => [type, mediaType(type, route, components)])
  return {
    description: 'Success.',
    headers: { 'x-gateway-trace-id': { $ref: '#/components/headers/TraceId' } },
    content: Object.fromEntries(content),
  }
}
