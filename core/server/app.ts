/** The Koa application: health, and for every other request an exchange through the edge stages. */
import { GatewayError } from '@gateway/contract'
import { andThen, Canceller, createExchange, type Received, RequestBuffers, type Run } from '@gateway/flow'
import Koa, { type Context, type Middleware } from 'koa'
import { createEdge } from '../pipeline.ts'
import { refuseWithoutHost } from './client-error.ts'
import { createCors } from './cors.ts'
import { createHealth } from './health.ts'
import { createTransport } from './koa-transport.ts'
import { logConnectionError } from './log-connection-error.ts'
import { endWithConnection } from './node/end-with-connection.ts'
import { replaceRequestHandling } from './node/request-handling.ts'
import { addStatusPhrases } from './node/status-phrases.ts'
import { createRefused } from './report-refused-tokens.ts'
import { mainRoutes, type Routes, servedUrl } from './routes.ts'
import type { ServerRuntime } from './server-runtime.ts'

/** @param isMainOnly whether operators' routes are on another listener */
export function createApp(runtime: ServerRuntime, isMainOnly = false): Koa {
  addStatusPhrases()
  const app = new Koa()
  const routes = isMainOnly ? mainRoutes(runtime.routes) : runtime.routes
  const { current } = runtime
  const health = createHealth(runtime, { hasMetrics: !runtime.hasMetricsPort && !isMainOnly })
  app.use(readHead)
  app.use(forRequests(({ path }) => healthPaths.has(path), health))
  app.use(forRequests(() => current.settings.file.server.cors !== null, createCors(routes, current)))
  app.use(openExchange(runtime, routes, isMainOnly ? createEdge(runtime, routes) : runtime.runRequest))
  replaceRequestHandling(app, handleRequest)
  // Stages handle all errors of requests; errors that reach Koa are internal.
  app.on('error', (error: unknown) => logConnectionError(runtime.log, error))
  return app
}

/** Stages answer their requests; probes and preflights get the text in `ctx.body`. Koa answers and reports errors. */
export const handleRequest = (ctx: Context, run: (ctx: Context) => Promise<void>): Promise<void> =>
  run(ctx)
    .then(() => {
      if (ctx.respond !== false) ctx.res.end(ctx.body)
    })
    .catch((error) => ctx.onerror(error))

const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Restricts a middleware to some of the requests. */
const forRequests =
  (isNeeded: (ctx: Context) => boolean, middleware: Middleware): Middleware =>
  (ctx, next) =>
    isNeeded(ctx) ? middleware(ctx, next) : next()

/** A URL that matches no route. */
const noTarget = { pathname: '*', search: '' }

/**
 * A request without a `host` header is refused. A request line may contain an absolute URL, or an invalid one (`GET
 * http://[ HTTP/1.1`), which is handled as an unknown route.
 */
export const readHead: Middleware = (ctx, next) => {
  const { url = '/', headers, httpVersion } = ctx.req
  if (headers.host === undefined && httpVersion === '1.1') {
    ctx.respond = false
    refuseWithoutHost(ctx.res)
    return
  }
  if (!url.startsWith('/')) {
    const { pathname, search } = URL.canParse(url) ? new URL(url) : noTarget
    ctx.req.url = pathname.startsWith('/') ? pathname + search : noTarget.pathname
  }
  ctx.req.url = servedUrl(ctx.req.url ?? '/')
  return next()
}

/**
 * Runs an exchange for every request through the edge stages. Its signal fires if the client disconnects before the
 * last byte. The request counts as in flight until that byte is written to the system, even after its stages are done.
 */
function openExchange(runtime: ServerRuntime, { router }: Routes, run: Run<Received, void>): Middleware {
  const { refusedToken } = runtime.services
  const { stores } = runtime
  const notifyRefusedToken = createRefused(runtime, { router, refusedToken, now: Date.now })
  return function open(ctx) {
    const { req, res } = ctx
    const caller = new Canceller()
    // While an earlier pipelined response is still being written, this one has no connection yet.
    const detach = res.socket === null ? endWithConnection(req, res) : null
    runtime.inFlight.begin()
    const buffers = new RequestBuffers(runtime.buffers)
    let isOpen = true
    res.on('close', () => {
      // A response is closed twice if its connection ends before it has one.
      if (isOpen) runtime.inFlight.end()
      isOpen = false
      buffers.release()
      detach?.()
      if (!res.writableFinished)
        caller.abort(new GatewayError('client_closed_request', 'The client disconnected.'))
    })
    const transport = createTransport(ctx, { buffers, addressOf: runtime.current.settings.clientAddress })
    const exchange = createExchange({
      stores,
      workspace: runtime.current.settings,
      transport,
      leaving: caller,
      traceId: null,
    })
    return andThen(run(exchange), () => (exchange.caller === null ? notifyRefusedToken(exchange) : undefined))
  }
}
