/** All routes of the gateway, for the OpenAPI document: endpoints, services and health. */
import type { Route, RouteDescription } from '@gateway/contract'
import type { FormRules } from '@gateway/contract/wire'
import { listenerOf } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import type { DeclaredEndpoint, EndpointRoute } from './declare-endpoint.ts'

export function describeRoutes(
  endpoints: readonly DeclaredEndpoint[],
  services: readonly Route[],
): RouteDescription[] {
  return [
    ...endpoints.flatMap((endpoint) => endpoint.routes.flatMap((route) => describe(endpoint, route))),
    ...healthRoutes,
    ...services.map(({ handle: _, ...route }) => ({ ...route, listener: listenerOf(route) })),
  ]
}

function describe(
  { scopes, request, form }: DeclaredEndpoint,
  { pipeline: _pipeline, serve: _serve, method, ...words }: EndpointRoute,
): RouteDescription[] {
  if (method === 'OPTIONS') return []
  const [first = '', ...others] = scopes
  const scope = others.length === 0 ? first : scopes
  const body = request === null || form === null ? request : withFiles(request, form)
  return [{ ...words, method, scope, listener: 'main', ...(body === null ? {} : { body }) }]
}

/** The body's schema with the form's files. */
function withFiles(schema: TSchema, { files }: FormRules): TSchema {
  const file = Type.Unsafe({
    description: 'A file of the form.',
    contentMediaType: 'application/octet-stream',
  })
  const fields = files.map(({ field }) => [field, Type.Optional(file)] as const)
  return Type.Object({ ...schema.properties, ...Object.fromEntries(fields) }, { additionalProperties: true })
}

interface HealthOptions {
  operationId: string
  summary: string
  said: Partial<RouteDescription>
}

const health = (path: string, { operationId, summary, said }: HealthOptions): RouteDescription => ({
  method: 'GET',
  path,
  operationId,
  summary,
  tag: 'Health',
  scope: 'public',
  listener: 'main',
  ...said,
})

const healthRoutes: RouteDescription[] = [
  health('/healthz', {
    operationId: 'getHealth',
    summary: 'Returns whether the process is alive',
    said: {
      answer: Type.Object({ status: Type.Literal('ok') }),
    },
  }),
  health('/readyz', {
    operationId: 'getReadiness',
    summary: 'Returns whether the gateway serves requests, or 503 with the reason',
    said: {
      answer: Type.Object({ status: Type.Literal('ready') }),
      otherAnswers: { 503: Type.Object({ status: Type.Literal('not ready'), reason: Type.String() }) },
    },
  }),
  health('/metrics', {
    operationId: 'getMetrics',
    summary: 'Returns metrics for Prometheus',
    said: {
      listener: 'admin',
      media: { answer: ['text/plain'] },
    },
  }),
]
