/**
 * Replaces how Koa handles a request. Its own way watches every response and its connection for their end, only to report
 * errors of connections that Node closes anyway; the listeners cost 2.6 kB per request, more than any stage. The method is
 * private in Koa: a version without it handles requests in its own way.
 */
import type Koa from 'koa'
import type { Context } from 'koa'

/** @param handle gets the context, and the middlewares as one function */
export function replaceRequestHandling(
  app: Koa,
  handle: (ctx: Context, run: (ctx: Context) => Promise<void>) => Promise<void>,
): void {
  Object.assign(app, { handleRequest: handle })
}
