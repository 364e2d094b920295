/**
 * Cross-origin requests of web pages (`server.cors`): preflights of inference routes are answered here, without a
 * credential, and answers name the origin that may read them. `access-control-allow-credentials` is never sent: a
 * page sends a key and cannot use a session cookie. https://fetch.spec.whatwg.org/#http-cors-protocol
 */

import type { Settings } from '@gateway/flow'
import type { Context, Middleware } from 'koa'
import type { Routes } from './routes.ts'
import type { ServerRuntime } from './server-runtime.ts'

type CorsRules = NonNullable<Settings['file']['server']['cors']>

/** Used only while `server.cors` is set. */
export function createCors(
  { router }: Pick<Routes, 'router'>,
  current: ServerRuntime['current'],
): Middleware {
  return async function cors(ctx, next) {
    const rules = current.settings.file.server.cors
    const methods = inferenceMethods(router, ctx.path)
    if (rules === null || methods.length === 0) return next()
    const allowed = allowOrigin(ctx, rules)
    if (allowed && isPreflight(ctx)) answerPreflight(ctx, methods, rules)
    else await next()
  }
}

/**
 * The methods of a path that pages may call: those of an endpoint, and those of a service's route that authenticates by
 * itself, such as an MCP server's. Routes of the management API are not available to other origins.
 */
const inferenceMethods = (router: Routes['router'], path: string): string[] =>
  [...router.methodsAt(path)]
    .filter(([, { endpoint, service }]) => endpoint !== null || service?.authenticates === true)
    .map(([method]) => method)

/** Whether pages of an origin may call the gateway. */
export const allowsOrigin = (rules: CorsRules | null, origin: string): boolean =>
  rules !== null && (rules.origins.includes('*') || rules.origins.includes(origin))

/** Returns whether the request's origin may read the answer, and sets the headers that allow it. */
function allowOrigin({ req, res }: Context, { origins }: CorsRules): boolean {
  const { origin } = req.headers
  const isAny = origins.includes('*')
  // An answer for one origin must not be cached for another.
  if (!isAny) res.setHeader('vary', 'Origin')
  if (origin === undefined || !(isAny || origins.includes(origin))) return false
  res.setHeader('access-control-allow-origin', isAny ? '*' : origin)
  res.setHeader('access-control-expose-headers', '*')
  return true
}

const isPreflight = ({ method, req }: Context): boolean =>
  method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined

function answerPreflight(ctx: Context, methods: readonly string[], rules: CorsRules): void {
  const { req, res } = ctx
  const asked = req.headers['access-control-request-headers']
  res.setHeader('access-control-allow-methods', methods.join(', '))
  // The names are listed, because `*` does not include `authorization`.
  if (asked !== undefined) res.setHeader('access-control-allow-headers', asked)
  res.setHeader('access-control-max-age', String(rules.max_age_seconds))
  ctx.status = 204
}
