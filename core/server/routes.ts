/**
 * All routes of endpoints and services in one router, and the code that serves them after authentication. An endpoint's
 * route runs its declared pipeline; a service's route runs its handler. Errors: 400 `invalid_header`, 403
 * `missing_scope`, 404 `not_found`, 405 `method_not_allowed`.
 */
import { decodeSegment, GatewayError, type Listener, type Route } from '@gateway/contract'
import { guessOf, listenerOf } from '@gateway/domain'
import {
  type Answer,
  callerOf,
  type Endpoint,
  ended,
  type FoundRoute,
  type MaybePromise,
  type Received,
  type Routed,
  type Runtime,
  routed,
  type Scrubbed,
} from '@gateway/flow'
import { pathToRegexp } from 'path-to-regexp'
import type { DeclaredEndpoint, EndpointRoute, Pipelines } from '../endpoints/index.ts'
import { checkAccess } from '../tenancy/index.ts'
import { serveWithHandler } from './endpoint-handlers.ts'
import { serveRewritten } from './rewritten-request.ts'
import { serveRoute } from './service-routes.ts'
import type { EndpointHandlers } from './services.ts'

export type ServedRoute = Readonly<FoundRoute['target']> & {
  /** Null for a service's route. */
  endpoint: Endpoint | null
  /** Null for an endpoint's route. */
  service: Route | null
  listener: Listener
}

export interface RoutesOptions {
  endpoints: readonly DeclaredEndpoint[]
  pipelines: Pipelines
  services: readonly Route[]
  /** Handlers of services that replace the pipelines of endpoints. */
  handlers: EndpointHandlers
}

type ErrorFormat = NonNullable<Route['renderError']>

export interface Routes {
  router: Router<ServedRoute>
  /** Error renderers of unknown paths, by path prefix. */
  errorFormats: ReadonlyMap<string, ErrorFormat>
  /** Finds the route of a request. The route of an unknown path answers with an error. */
  find(method: string, path: string): FoundRoute
  /** The endpoint of a path, whatever the method. Errors are written in its format before the route is known. */
  endpointAt(path: string): Endpoint | null
  /** The error format of a service at a path, whatever the method; null for the gateway's own format. */
  errorFormatAt(path: string): ErrorFormat | null
}

export function createRoutes(
  ports: Runtime,
  { endpoints, pipelines, services, handlers }: RoutesOptions,
): Routes {
  const router: Router<ServedRoute> = createRouter<ServedRoute>([
    ...endpoints.flatMap((endpoint) =>
      endpoint.routes.flatMap((route) =>
        entriesOf(route, serveEndpoint(ports, endpoint, { route, pipelines, handlers })),
      ),
    ),
    ...services.flatMap((route) =>
      entriesOf(
        route,
        serveService(ports, route, (path) => router.find('POST', path)),
      ),
    ),
  ])
  const errorFormats = new Map(
    services.flatMap(({ renderError, rendersErrorsBelow = [] }) =>
      renderError === undefined ? [] : rendersErrorsBelow.map((path) => [path, renderError] as const),
    ),
  )
  return routesOf(router, router, errorFormats)
}

/** The routes before the services are open. */
export const createNoRoutes = (): Routes => {
  const router = createRouter<ServedRoute>([])
  return routesOf(router, router, new Map())
}

/** The main listener's routes when there is an admin listener. */
export const mainRoutes = ({ router, errorFormats }: Routes): Routes =>
  routesOf(withoutAdmin(router), router, errorFormats)

/** @param all the routes of all listeners */
function routesOf(
  router: Router<ServedRoute>,
  all: Router<ServedRoute>,
  errorFormats: Routes['errorFormats'],
): Routes {
  const openUnknown: FoundRoute = {
    target: { isPublic: true, path: null, serve: unknownRoute },
    params: noParams,
  }
  const unknown: FoundRoute = {
    target: { isPublic: false, path: null, serve: unknownRoute },
    params: noParams,
  }
  return {
    router,
    errorFormats,
    find(method, path) {
      return router.find(method, path) ?? (isOpenTo(method, path) ? openUnknown : unknown)
    },
    errorFormatAt(path) {
      for (const { service } of router.methodsAt(path).values())
        if (service?.renderError !== undefined) return service.renderError
      for (const [root, renderError] of errorFormats)
        if (path === root || path.startsWith(`${root}/`)) return renderError
      return null
    },
    endpointAt(path) {
      for (const { endpoint } of router.methodsAt(path).values()) if (endpoint !== null) return endpoint
      return null
    },
  }

  /**
   * Whether an unserved route skips authentication. That is the case for routes of the other listener, for other
   * methods, and for requests without a path.
   */
  function isOpenTo(method: string, path: string): boolean {
    if (!path.startsWith('/')) return true
    if (all.find(method, path)?.target.isPublic === true) return true
    return [...router.methodsAt(path).values()].some(({ service }) => service?.authenticates === true)
  }

  async function unknownRoute({ transport: { method, path } }: Received): Promise<never> {
    const methods = [...router.methodsAt(path).keys()]
    // This includes methods of the other listener, which must not be revealed here.
    if (all.find(method, path) !== null) throw new GatewayError('not_found', 'Route not found.')
    if (methods.length === 0)
      throw new GatewayError('not_found', `Route not found${guessOf(path, router.paths()) || '.'}`)
    throw new GatewayError('method_not_allowed', `${method} is not allowed on this route.`, {
      headers: { allow: methods.join(', ') },
    })
  }
}

/** A path has the same meaning on both listeners, so one that is not served here must not match another route. */
function withoutAdmin({ find, methodsAt, paths }: Router<ServedRoute>): Router<ServedRoute> {
  const isMain = (path: string) => [...methodsAt(path).values()].some(({ listener }) => listener === 'main')
  return {
    paths: () => [...paths()].filter(isMain),
    find(method, path) {
      const found = find(method, path)
      return found?.target.listener === 'admin' ? null : found
    },
    methodsAt: (path) => new Map([...methodsAt(path)].filter(([, { listener }]) => listener === 'main')),
  }
}

const entriesOf = (
  { method, path, aliases = [] }: Pick<Route, 'path' | 'aliases'> & { method: string },
  target: ServedRoute,
): RouterEntry<ServedRoute>[] => [path, ...aliases].map((each) => ({ method, path: each, target }))

interface ServeEndpointOptions extends Pick<RoutesOptions, 'pipelines' | 'handlers'> {
  route: EndpointRoute
}

function serveEndpoint(
  ports: Runtime,
  endpoint: DeclaredEndpoint,
  { route, pipelines, handlers }: ServeEndpointOptions,
): ServedRoute {
  const { path, readBody } = route
  const run = runOf(ports, route, pipelines)
  const handler = handlers[endpoint.id]
  return {
    endpoint,
    service: null,
    isPublic: false,
    path,
    listener: 'main',
    serve(admitted, params) {
      const exchange = routed(admitted, endpoint)
      checkAccess(endpoint, exchange.caller.identity)
      if (handler !== undefined && route.pipeline !== 'config') {
        const run = pipelines[route.pipeline]
        return serveWithHandler(ports, exchange, {
          params,
          handler,
          run,
          resolve: pipelines.config,
          readBody,
        })
      }
      return run(exchange, params)
    },
  }
}

type Params = FoundRoute['params']

/** Runs the route's pipeline, through the endpoint's own code if there is any. */
function runOf(
  ports: Runtime,
  route: EndpointRoute,
  pipelines: Pipelines,
): (exchange: Routed, params: Params) => MaybePromise<Answer> {
  if (route.pipeline === 'config') {
    const { serve } = route
    return (exchange, params) => serve(exchange, params, { run: pipelines.config, ports })
  }
  const { serve } = route
  const run = pipelines[route.pipeline]
  return serve === undefined ? run : (exchange, params) => serve(exchange, params, { run, ports })
}

function serveService(ports: Runtime, route: Route, find: (path: string) => FoundRoute | null): ServedRoute {
  const declared = { endpoint: null, service: route, path: route.path, listener: listenerOf(route) }
  const serve = async (exchange: Scrubbed, params: Params) => {
    const answer = await serveRoute(ports, exchange, { route, params })
    return 'path' in answer ? serveRewritten(callerOf(ended(exchange)), answer, find) : answer
  }
  return route.scope === 'public' || route.authenticates === true
    ? { ...declared, isPublic: true, serve }
    : { ...declared, isPublic: false, serve }
}

export interface RouterEntry<Target> {
  method: string
  path: string
  target: Target
}

interface Found<Target> {
  target: Target
  /** The decoded parameters. */
  params: Readonly<Record<string, string>>
}

export interface Router<Target> {
  /** Returns null for an unknown path, and for a path without this method. */
  find(method: string, path: string): Found<Target> | null
  /** Paths without parameters, for messages. */
  paths(): Iterable<string>
  /** All routes of a path, by method; empty for an unknown path. */
  methodsAt(path: string): ReadonlyMap<string, Target>
}

interface Place<Target> {
  regexp: RegExp
  names: readonly string[]
  methods: Map<string, Target>
}

const noParams: Readonly<Record<string, string>> = {}
const hasParameters = (path: string) => /[:*{(]/.test(path)

/**
 * Finds the route of a method and a path. Paths without parameters are looked up in a map; the others are tried in
 * declaration order. One trailing slash is ignored, paths are case-sensitive, and HEAD comes with GET. The syntax of
 * paths: https://github.com/pillarjs/path-to-regexp
 */
export function createRouter<Target>(entries: readonly RouterEntry<Target>[]): Router<Target> {
  const plain = new Map<string, Map<string, Target>>()
  const places = new Map<string, Place<Target>>()

  for (const { method, path, target } of entries) {
    const methods = hasParameters(path) ? placeAt(path).methods : plainAt(path)
    // HEAD comes before GET, as in the `allow` header.
    for (const each of method === 'GET' ? ['HEAD', 'GET'] : [method])
      if (!methods.has(each)) methods.set(each, target)
  }

  function plainAt(path: string): Map<string, Target> {
    const methods = plain.get(path) ?? new Map<string, Target>()
    plain.set(path, methods)
    return methods
  }

  function placeAt(path: string): Place<Target> {
    const known = places.get(path)
    if (known !== undefined) return known
    const { regexp, keys } = pathToRegexp(path, { sensitive: true })
    const made = { regexp, names: keys.map(({ name }) => name), methods: new Map<string, Target>() }
    places.set(path, made)
    return made
  }

  const trimmed = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

  return {
    find(method, path) {
      const target = (plain.get(path) ?? plain.get(trimmed(path)))?.get(method)
      if (target !== undefined) return { target, params: noParams }
      for (const { regexp, names, methods } of places.values()) {
        const served = methods.get(method)
        const match = served === undefined ? null : regexp.exec(path)
        if (served !== undefined && match !== null) return { target: served, params: paramsOf(names, match) }
      }
      return null
    },
    paths: () => plain.keys(),
    methodsAt(path) {
      const at = [...places.values()].filter(({ regexp }) => regexp.test(path))
      const found = new Map(plain.get(trimmed(path)))
      for (const { methods } of at)
        for (const [method, target] of methods) if (!found.has(method)) found.set(method, target)
      return found
    },
  }
}

function paramsOf(names: readonly string[], match: RegExpExecArray): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const written = match[index + 1]
    if (written !== undefined && written !== '') params[name] = decodeSegment(written)
  }
  return params
}

/** An alias of `/v1` that some clients use. */
const alias = '/openai/v1/'

/** The URL of a request without the alias, which code behind the listener never sees. */
export const servedUrl = (url: string): string =>
  url.startsWith(alias) ? `/v1/${url.slice(alias.length)}` : url
