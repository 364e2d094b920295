/**
 * The endpoints of a dialect package, as the router, the stages and OpenAPI have them: its routes name a way to be served,
 * which becomes a pipeline and, where the route needs it, code.
 */
import type { DialectEndpoint, DialectPlugin, DialectRoute } from '@gateway/contract/dialect'
import type { Routed, Run } from '../../flow/index.ts'
import { type DeclaredEndpoint, declareEndpoint, type EndpointRoute } from '../declare-endpoint.ts'
import { sendFramed } from './framed-stream.ts'
import { serveModel, serveModelList } from './serve-models.ts'

export const declareDialect = ({ endpoints }: DialectPlugin): DeclaredEndpoint[] => endpoints.map(declare)

const declare = ({ routes, ...traits }: DialectEndpoint): DeclaredEndpoint =>
  declareEndpoint({ ...traits, routes: routes.map(routeOf) })

function routeOf(route: DialectRoute): EndpointRoute {
  switch (route.serves) {
    case 'inference': {
      const { serves: _, framing, ...words } = route
      const called = { ...words, method: 'POST', pipeline: 'inference' } as const
      if (framing === undefined) return called
      return {
        ...called,
        async serve(exchange: Routed, _params: unknown, run: Run<Routed>) {
          const chosen = framing(exchange.transport.query)
          if (chosen !== null) sendFramed(exchange, chosen)
          return run(exchange)
        },
      }
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
