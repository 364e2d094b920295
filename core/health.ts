/** `/healthz`, `/readyz` and `/metrics`: for orchestrators and scrapers, without a key. */
import type { Middleware } from 'koa'
import type { Runtime } from './runtime.ts'

export function createHealth(runtime: Runtime): Middleware {
  return async function health(ctx, next) {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz' && ctx.path !== '/metrics') return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.status = 405
      ctx.set('allow', 'GET, HEAD')
      writeJson(ctx, {
        error: {
          message: 'Use GET.',
          type: 'invalid_request_error',
          param: null,
          code: 'method_not_allowed',
        },
      })
      return
    }
    if (runtime.isDraining) ctx.set('connection', 'close')
    if (ctx.path === '/healthz') {
      writeJson(ctx, { status: 'ok' })
    } else if (ctx.path === '/readyz') {
      const reason = await reasonNotReady(runtime)
      ctx.status = reason === null ? 200 : 503
      writeJson(ctx, reason === null ? { status: 'ready' } : { status: 'not ready', reason })
    } else if (runtime.settings.file.server.metrics_port === undefined) {
      await writeMetrics(runtime, ctx)
    } else {
      ctx.status = 404
      writeJson(ctx, {
        error: {
          message: 'There is no such route.',
          type: 'not_found_error',
          param: null,
          code: 'not_found',
        },
      })
    }
  }
}

/** The metrics alone, for a port of their own. */
export function createMetricsRoute(runtime: Runtime): Middleware {
  return async function metrics(ctx) {
    if (ctx.path === '/metrics') await writeMetrics(runtime, ctx)
  }
}

/** As text: of an object Koa asks whether it is a `Response`, for which node loads its whole `fetch` during the first probe. */
function writeJson(ctx: Parameters<Middleware>[0], body: object): void {
  ctx.type = 'json'
  ctx.body = JSON.stringify(body)
}

async function writeMetrics(runtime: Runtime, ctx: Parameters<Middleware>[0]): Promise<void> {
  const { text, contentType } = await runtime.collectMetrics()
  ctx.set('content-type', contentType)
  ctx.body = text
}

async function reasonNotReady(runtime: Runtime): Promise<string | null> {
  if (runtime.isDraining) return 'shutting down'
  try {
    await runtime.store.ping()
    return null
  } catch (error) {
    runtime.log.warn(
      { reason: error instanceof Error ? error.message : 'error' },
      'the store does not answer',
    )
    return 'the store does not answer'
  }
}
