/**
 * One way in: every route of endpoints and services in one router, and what runs behind authentication. An endpoint's
 * route runs the pipeline that its declaration names; a service's route runs its handler.
 * Errors: 403 `missing_scope`, 404 `not_found`, 405 `method_not_allowed`.
 */
import { GatewayError, type Listener, type Route } from '@gateway/contract'
import { listenerOf } from '../domain/index.ts'
import type { DeclaredEndpoint, EndpointRoute, PipelineName } from '../endpoints/declare-endpoint.ts'
import type { Endpoint } from '../flow/endpoint.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Run } from '../flow/stage.ts'
import { checkAccess } from '../tenancy/identity/check-access.ts'
import { serveWithHandler } from './endpoint-handlers.ts'
import { authenticate } from './late-caller.ts'
import { createRouter, type Router, type RouterEntry } from './router.ts'
import { serveRoute } from './service-routes.ts'
import type { EndpointHandlers } from './services.ts'

type Params = Readonly<Record<string, string>>

export interface ServedRoute {
  /** Null for a service's route. */
  endpoint: Endpoint | null
  /** Null for an endpoint's route. */
  service: Route | null
  listener: Listener
  serve(exchange: Exchange, params: Params): Promise<void>
}

export interface RoutesOptions {
  endpoints: readonly DeclaredEndpoint[]
  pipelines: Readonly<Record<PipelineName, Run>>
  services: readonly Route[]
  /** Of services, in the place of pipelines. */
  handlers: EndpointHandlers
}

export interface Routes {
  router: Router<ServedRoute>
  /** Runs what serves the request. */
  dispatch(exchange: Exchange): Promise<void>
  /** The endpoint of a path, whatever the method: errors are written in its format before its route is known. */
  endpointAt(path: string): Endpoint | null
  /** How a service writes its errors at a path, whatever the method; null: as the gateway does. */
  errorFormatAt(path: string): Route['renderError'] | null
}

export function createRoutes({ endpoints, pipelines, services, handlers }: RoutesOptions): Routes {
  const router = createRouter<ServedRoute>([
    ...endpoints.flatMap((endpoint) =>
      endpoint.routes.flatMap((route) =>
        entriesOf(route, serveEndpoint(endpoint, route, { pipelines, handlers })),
      ),
    ),
    ...services.flatMap((route) => entriesOf(route, serveService(route))),
  ])
  return routesOf(router, router)
}

/** What the main listener has beside an admin listener. */
export const mainRoutes = ({ router }: Routes): Routes => routesOf(withoutAdmin(router), router)

/** @param all what all listeners have */
function routesOf(router: Router<ServedRoute>, all: Router<ServedRoute>): Routes {
  return {
    router,
    async dispatch(exchange) {
      const { method, path } = exchange.transport
      const found = router.find(method, path)
      if (found === null) return unknownRoute(method, path)
      // A path that two routes fit was let in for the sake of the other one.
      if (exchange.identity === null && !isOpen(found.target)) await authenticate(exchange)
      return found.target.serve(exchange, found.params)
    },
    errorFormatAt(path) {
      for (const { service } of router.methodsAt(path).values())
        if (service?.renderError !== undefined) return service.renderError
      return null
    },
    endpointAt(path) {
      for (const { endpoint } of router.methodsAt(path).values()) if (endpoint !== null) return endpoint
      return null
    },
  }

  async function unknownRoute(method: string, path: string): Promise<never> {
    const methods = [...router.methodsAt(path).keys()]
    // Also for a method that the other listener has, so that this one tells nothing of it.
    if (methods.length === 0 || all.find(method, path) !== null)
      throw new GatewayError('not_found', 'There is no such route.')
    throw new GatewayError('method_not_allowed', `${method} is not for this route.`, {
      headers: { allow: methods.join(', ') },
    })
  }
}

/** Paths mean the same on both listeners: what is not served here is not taken for something else. */
function withoutAdmin({ find, methodsAt }: Router<ServedRoute>): Router<ServedRoute> {
  return {
    find(method, path) {
      const found = find(method, path)
      return found?.target.listener === 'admin' ? null : found
    },
    methodsAt: (path) => new Map([...methodsAt(path)].filter(([, { listener }]) => listener === 'main')),
  }
}

/** Whether a route looks at credentials by itself, or at none. */
const isOpen = ({ service }: ServedRoute): boolean =>
  service !== null && (service.scope === 'public' || service.authenticates === true)

const entriesOf = (
  { method, path, aliases = [] }: Pick<Route, 'path' | 'aliases'> & { method: string },
  target: ServedRoute,
): RouterEntry<ServedRoute>[] => [path, ...aliases].map((each) => ({ method, path: each, target }))

function serveEndpoint(
  endpoint: DeclaredEndpoint,
  { pipeline, serve }: EndpointRoute,
  { pipelines, handlers }: Pick<RoutesOptions, 'pipelines' | 'handlers'>,
): ServedRoute {
  const run = pipelines[pipeline]
  const handler = handlers[endpoint.id]
  return {
    endpoint,
    service: null,
    listener: 'main',
    async serve(exchange, params) {
      exchange.endpoint = endpoint
      checkAccess(endpoint, required(exchange.identity, 'identity'))
      if (handler !== undefined) return serveWithHandler(exchange, params, { handler, run })
      await (serve === undefined ? run(exchange) : serve(exchange, params, run))
    },
  }
}

const serveService = (route: Route): ServedRoute => ({
  endpoint: null,
  service: route,
  listener: listenerOf(route),
  serve: (exchange, params) => serveRoute(exchange, route, params),
})
