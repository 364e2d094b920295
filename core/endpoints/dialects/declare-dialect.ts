/**
 * Turns the endpoints of a dialect package into endpoints of the gateway, for the router, the stages and OpenAPI. Each
 * route says how it is served, which selects a pipeline and, if necessary, code around it.
 */
import { GatewayError, type JsonObject } from '@gateway/contract'
import type { DialectEndpoint, DialectPlugin, DialectRoute } from '@gateway/contract/dialect'
import { type Answer, changeInput, type Routed, type Run } from '@gateway/flow'
import { type DeclaredEndpoint, declareEndpoint, type EndpointRoute } from '../declare-endpoint.ts'
import { removeStored, serveStored } from '../stored-responses/serve-stored.ts'
import { serveModel, serveModelList } from './serve-models.ts'

export const declareDialect = ({ endpoints }: DialectPlugin): DeclaredEndpoint[] => endpoints.map(declare)

const declare = ({ routes, ...traits }: DialectEndpoint): DeclaredEndpoint =>
  declareEndpoint({ ...traits, routes: routes.map(routeOf) })

/** Errors: `invalid_header` for a request without an upgrade. */
const serveSession =
  (bodyOf: SessionRoute['bodyOf']) =>
  async (exchange: Routed, _params: Params, { run }: { run: Run<Routed> }): Promise<Answer> => {
    const { session, query } = exchange.transport
    if (session === null) {
      const message = 'This route takes WebSocket connections: send upgrade: websocket.'
      throw new GatewayError('invalid_header', message, { param: 'header/upgrade' })
    }
    changeInput(exchange, { body: bodyOf(query) })
    exchange.request.record.asked = exchange.input.body
    return run(exchange)
  }

type Params = Readonly<Record<string, string>>
type SessionRoute = Extract<DialectRoute, { serves: 'session' }>
type Body = NonNullable<Extract<DialectRoute, { serves: 'provider-object' }>['body']>

/** Reads a body and keeps its text, which is forwarded if the request stays unchanged. */
const bodyReader =
  ({ maxBytes, check }: Body) =>
  async (exchange: Routed): Promise<JsonObject> => {
    const { body, text } = await exchange.transport.readJson({ maxBytes })
    const checked = check(body)
    changeInput(exchange, { source: text === null ? null : { body: checked, text } })
    return checked
  }

function routeOf(route: DialectRoute): EndpointRoute {
  switch (route.serves) {
    case 'inference': {
      const { serves: _, framing, ...words } = route
      const called = { ...words, method: 'POST', pipeline: 'inference' } as const
      if (framing === undefined) return called
      return {
        ...called,
        async serve(exchange: Routed, _params: unknown, { run }: { run: Run<Routed> }) {
          exchange.request.record.framing = framing(exchange.transport.query)
          return run(exchange)
        },
      }
    }
    case 'provider-object': {
      const { serves: _, body, ...words } = route
      const readBody = body === undefined ? undefined : bodyReader(body)
      return {
        ...words,
        pipeline: 'provider-object',
        ...(readBody === undefined ? {} : { readBody }),
        async serve(exchange: Routed, params: Params, { run }: { run: Run<Routed> }) {
          const { query } = exchange.transport
          const body = (await readBody?.(exchange)) ?? { ...Object.fromEntries(query), ...params }
          changeInput(exchange, { body })
          return run(exchange)
        },
      }
    }
    case 'stored-response': {
      const { serves: _, read, ...words } = route
      return { ...words, method: 'GET', pipeline: 'stored-response', serve: serveStored(read) }
    }
    case 'stored-response-removal': {
      const { serves: _, render, ...words } = route
      return { ...words, method: 'DELETE', pipeline: 'stored-response-removal', serve: removeStored(render) }
    }
    case 'session': {
      const { serves: _, bodyOf, ...words } = route
      return { ...words, method: 'GET', pipeline: 'session', serve: serveSession(bodyOf) }
    }
    case 'model-list': {
      const { serves: _, page, render, ...words } = route
      return { ...words, method: 'GET', pipeline: 'config', serve: serveModelList({ page, render }) }
    }
    case 'model': {
      const { serves: _, idOf, render, ...words } = route
      return { ...words, method: 'GET', pipeline: 'config', serve: serveModel({ idOf, render }) }
    }
  }
}
