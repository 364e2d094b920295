/** The Koa application: health, the edge, and the routes: inference, models, and what service packages bring. */
import { randomUUID } from 'node:crypto'
import { type EndpointId, GatewayError } from '@gateway/contract'
import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import { inferenceRoutes } from '../endpoints/index.ts'
import { listModels, retrieveModel } from '../endpoints/models/routes.ts'
import { proxy, proxyMethods, proxyPath } from '../endpoints/proxy.ts'
import { deleteResponse, getResponse, listInputItems } from '../endpoints/responses/routes.ts'
import { Canceller } from '../flow/cancellation.ts'
import { Exchange } from '../flow/exchange.ts'
import type { Runtime } from '../flow/runtime.ts'
import { edge, request } from '../pipeline.ts'
import { createHealth } from './health.ts'
import { createTransport } from './koa-transport.ts'
import { createRefused } from './report-refused-tokens.ts'
import { serveRoute } from './service-routes.ts'

interface State {
  exchange: Exchange
}

export function createApp(runtime: Runtime): Koa<State> {
  const app = new Koa<State>()
  app.use(readTarget)
  app.use(createHealth(runtime))
  const router = createRouter(runtime)
  const { routes, refusedToken } = runtime.services
  app.use(openExchange(runtime, createRefused({ router, routes, refusedToken, now: Date.now })))
  app.use(serveInference)
  app.use(router.routes() as Middleware<State>)
  app.use(unknownRoute(router))
  // Stages answer for all that goes wrong with a request; what reaches Koa is a fault of ours.
  app.on('error', (error: unknown) => runtime.log.error({ err: error }, 'internal error'))
  return app
}

/** A request line may name a whole URL, or none (`GET http://[ HTTP/1.1`): that is an unknown route like any other. */
const readTarget: Middleware<State> = (ctx, next) => {
  const { url = '/' } = ctx.req
  if (!url.startsWith('/')) {
    const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: '/', search: '' }
    ctx.req.url = pathname.startsWith('/') ? pathname + search : '/'
  }
  return next()
}

/**
 * An exchange for every request, through the edge; its signal fires when the caller leaves before the last byte.
 * Until that is handed to the system the request is in flight, also when its stages are done.
 */
function openExchange(runtime: Runtime, tellRefused: ReturnType<typeof createRefused>): Middleware<State> {
  return async function open(ctx, next) {
    const { req, res } = ctx
    const caller = new Canceller()
    // Of a closed connection node tells the answer that is being written only, not those that wait behind it.
    const tell = () => {
      if (res.destroyed) return
      res.destroyed = true
      res.emit('close')
    }
    runtime.inFlight += 1
    req.socket.once('close', tell)
    res.once('close', () => {
      runtime.inFlight -= 1
      req.socket.off('close', tell)
      if (!res.writableFinished) caller.abort(new GatewayError('client_closed_request', 'The caller left.'))
    })
    const exchange = new Exchange(runtime, createTransport(ctx), caller, randomUUID())
    ctx.state.exchange = exchange
    exchange.route = next
    await edge(exchange)
    if (exchange.identity === null) await tellRefused(exchange, ctx)
  }
}

const endpoints: ReadonlyMap<string, EndpointId> = new Map(
  inferenceRoutes.map(({ path, endpoint }) => [path, endpoint]),
)

/** The routes that pay per request: found by their path. The router knows them as well, for every other spelling. */
const serveInference: Middleware<State> = (ctx, next) => {
  const endpoint = ctx.method === 'POST' ? endpoints.get(ctx.path) : undefined
  return endpoint === undefined ? next() : infer(ctx.state.exchange, endpoint)
}

async function infer(exchange: Exchange, endpoint: EndpointId): Promise<void> {
  exchange.endpoint = endpoint
  await request(exchange)
}

/** One trailing slash is ignored; paths are case-sensitive. */
function createRouter(runtime: Runtime): Router<State> {
  const router = new Router<State>({ sensitive: true })
  for (const { path, endpoint } of inferenceRoutes) {
    router.post(path, (ctx) => infer(ctx.state.exchange, endpoint))
  }
  for (const path of ['/v1/models', '/models']) {
    router.get(path, (ctx) => listModels(ctx.state.exchange))
    router.get(`${path}/*id`, (ctx) => retrieveModel(ctx.state.exchange))
  }
  router.get('/v1/responses/:id', (ctx) => getResponse(ctx.state.exchange, ctx.params.id ?? ''))
  router.delete('/v1/responses/:id', (ctx) => deleteResponse(ctx.state.exchange, ctx.params.id ?? ''))
  router.get('/v1/responses/:id/input_items', (ctx) =>
    listInputItems(ctx.state.exchange, ctx.params.id ?? ''),
  )
  router.register(proxyPath, proxyMethods, (ctx: Context) => proxy(ctx.state.exchange as Exchange))
  for (const route of runtime.services.routes) {
    for (const path of [route.path, ...(route.aliases ?? [])]) {
      router.register(
        path,
        [route.method.toLowerCase()],
        (ctx: Context & { params: Record<string, string> }) =>
          serveRoute(ctx.state.exchange as Exchange, route, ctx.params),
      )
    }
  }
  return router
}

/** 405 with `allow` where the path is known, else 404. */
function unknownRoute(router: Router<State>): Middleware<State> {
  return async function unknown(ctx) {
    if (ctx.state.exchange.answer !== null) return
    const { path } = router.match(ctx.path, ctx.method)
    const methods = [...new Set(path.flatMap((layer) => layer.methods))]
    if (methods.length > 0) {
      throw new GatewayError('method_not_allowed', `${ctx.method} is not for this route.`, {
        headers: { allow: methods.join(', ') },
      })
    }
    throw new GatewayError('not_found', 'There is no such route.')
  }
}
