/** `/healthz`, `/readyz` and `/metrics`: for orchestrators and scrapers, without a key. */

import { randomUUID } from 'node:crypto'
import { faultReason } from '@gateway/contract'
import type { Middleware } from 'koa'
import type { ServerRuntime } from './server-runtime.ts'

/** The parts of the runtime that health and metrics routes need. */
type HealthSource = Pick<
  ServerRuntime,
  'store' | 'sealing' | 'collectMetrics' | 'hasLearnedCircuits' | 'isDraining' | 'log'
>

/** @param hasMetrics whether metrics are served here instead of on a separate port or listener */
export function createHealth(runtime: HealthSource, { hasMetrics }: { hasMetrics: boolean }): Middleware {
  return async function health(ctx) {
    ctx.set('x-request-id', randomUUID())
    if (ctx.path === '/metrics' && !hasMetrics) return writeNotFound(ctx)
    if (isRefused(ctx)) return
    if (runtime.isDraining) ctx.set('connection', 'close')
    if (ctx.path === '/healthz') {
      writeJson(ctx, { status: 'ok' })
    } else if (ctx.path === '/readyz') {
      const reason = await reasonNotReady(runtime)
      ctx.status = reason === null ? 200 : 503
      writeJson(ctx, reason === null ? { status: 'ready' } : { status: 'not ready', reason })
    } else await writeMetrics(runtime, ctx)
  }
}

/** Only the metrics, for a separate port. */
export function createMetricsRoute(runtime: Pick<HealthSource, 'collectMetrics'>): Middleware {
  return async function metrics(ctx) {
    if (ctx.path !== '/metrics') writeNotFound(ctx)
    else if (!isRefused(ctx)) await writeMetrics(runtime, ctx)
  }
}

type Context = Parameters<Middleware>[0]

/** Refuses methods other than GET and HEAD; returns whether it did. */
function isRefused(ctx: Context): boolean {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return false
  ctx.status = 405
  ctx.set('allow', 'GET, HEAD')
  writeError(ctx, { type: 'invalid_request_error', code: 'method_not_allowed', message: 'Use GET.' })
  return true
}

function writeNotFound(ctx: Context): void {
  ctx.status = 404
  writeError(ctx, { type: 'not_found_error', code: 'not_found', message: 'Route not found.' })
}

interface WriteErrorOptions {
  type: string
  code: string
  message: string
}

function writeError(ctx: Context, { type, code, message }: WriteErrorOptions): void {
  writeJson(ctx, { error: { message, type, param: null, code } })
}

/**
 * Writes text, because for an object Koa checks `instanceof Response`, which makes Node load all of `fetch` during the
 * first probe.
 */
function writeJson(ctx: Context, body: object): void {
  ctx.type = 'json'
  ctx.body = JSON.stringify(body)
}

async function writeMetrics(runtime: Pick<HealthSource, 'collectMetrics'>, ctx: Context): Promise<void> {
  const { text, contentType } = await runtime.collectMetrics()
  ctx.set('content-type', contentType)
  ctx.body = text
}

async function reasonNotReady(runtime: HealthSource): Promise<string | null> {
  if (runtime.isDraining) return 'shutting down'
  try {
    await runtime.store.ping()
    if (runtime.sealing.fault !== null) return "the store's secrets cannot be used: see the log"
    return runtime.hasLearnedCircuits() ? null : 'still loading the open circuits'
  } catch (error) {
    runtime.log.warn({ reason: faultReason(error) }, 'the store does not answer')
    return 'the store does not answer'
  }
}
