/** The OpenAPI 3.1 document of all routes. Reference: https://spec.openapis.org/oas/v3.1.1.html */
import { isObject, type JsonObject, type RouteDescription } from '@gateway/contract'
import { errorResponses, errorSchema } from './errors.ts'
import { operationOf } from './operation.ts'
import { templateOf } from './path.ts'
import { createComponents } from './schema.ts'
import { describeTag } from './tags.ts'

const securitySchemes: JsonObject = {
  gatewayKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-gateway-api-key',
    description: 'An API key, or a JWT.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, a JWT, or the token of a session.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'gateway_session',
    description: 'The cookie of a session; every method except GET also requires the header x-gateway-csrf.',
  },
}

const description = [
  'One OpenAI-compatible API for many model providers, and the API that manages the gateway itself.',
  '**Authentication.** Send an API key as `authorization: Bearer KEY` or in `x-gateway-api-key`. `x-scope` names the scopes of an operation; any one of a list is enough.',
  '**Tracing.** Every answer has the headers `x-gateway-trace-id` and `x-request-id`.',
  '**Concurrent changes.** Answers with one object have an `etag`, for `if-match` and `if-none-match`.',
  '**Repeating requests.** POST takes an `idempotency-key` header.',
  '**Listeners.** `x-listener` is `main` for operations on both listeners and `admin` for those that only the admin listener serves once `server.admin_listener` is set.',
  '**Aliases.** Paths with `x-alias-of` are other paths of the same operation.',
].join('\n\n')

/** @param version of the service */
export function buildDocument(routes: readonly RouteDescription[], version: string): JsonObject {
  const components = createComponents()
  components.schemas.Error = errorSchema
  const paths: JsonObject = {}
  const ids = new Set<string>()
  const add = (route: RouteDescription, path: string, more: JsonObject) => {
    const template = templateOf(path)
    const known = paths[template]
    const item: JsonObject = isObject(known) ? known : {}
    paths[template] = item
    const operation = operationOf(route, path, components)
    item[route.method.toLowerCase()] = { ...operation, operationId: unique(route.operationId, ids), ...more }
  }
  // Aliases come last: the operation at its own path must get the id without a number.
  for (const route of routes) add(route, route.path, {})
  for (const route of routes) {
    for (const alias of route.aliases ?? []) add(route, alias, { 'x-alias-of': templateOf(route.path) })
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'AI gateway',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({
      name,
      description: describeTag(name),
    })),
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    components: {
      schemas: components.schemas,
      responses: errorResponses,
      headers: {
        TraceId: {
          description: 'The id of the request in logs, traces and the audit log.',
          schema: { type: 'string' },
        },
      },
      securitySchemes,
    },
  }
}

/** Ids are unique in the document: a repeated one gets a number. */
function unique(id: string, taken: Set<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? id : `${id}_${count}`
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}
