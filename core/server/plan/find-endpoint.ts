/** The inference endpoint of a planned call, by a path or an id. Errors: `invalid_body` at `/endpoint`. */
import { GatewayError } from '@gateway/contract'
import { nearestName } from '@gateway/domain'
import type { ListedEndpoint } from '@gateway/flow'
import { pathToRegexp } from 'path-to-regexp'

interface Named {
  endpoint: ListedEndpoint
  /** The path as a client would call it. */
  path: string
}

export function findEndpoint(endpoints: readonly ListedEndpoint[], written: string, method: string): Named {
  const path = trimmed(written)
  const absolute = path.startsWith('/') ? path : `/${path}`
  for (const endpoint of endpoints) {
    for (const route of endpoint.routes) {
      if (route.pipeline !== 'inference' || route.method !== method) continue
      if (endpoint.id === path) return { endpoint, path: route.path }
      const paths = [route.path, ...(route.aliases ?? [])]
      const found = [absolute, `/v1${absolute}`].find((one) => paths.some((each) => fits(each, one)))
      if (found !== undefined) return { endpoint, path: found }
    }
  }
  throw new GatewayError(
    'invalid_body',
    `/endpoint: ${method} ${written.slice(0, 100)} is not an inference route${guess(endpoints, path, method)}; send a path such as /v1/chat/completions, or an endpoint id such as chatComplete.`,
    { param: '/endpoint' },
  )
}

/** The nearest endpoint id, or the nearest path if the text begins with a slash. */
function guess(endpoints: readonly ListedEndpoint[], written: string, method: string): string {
  const served = endpoints.flatMap(({ id, routes }) =>
    routes.flatMap((route) =>
      route.pipeline === 'inference' && route.method === method
        ? [{ id, paths: [route.path, ...(route.aliases ?? [])] }]
        : [],
    ),
  )
  const known = served.flatMap(({ id, paths }) => (written.includes('/') ? paths : [id]))
  const nearest = nearestName(written, known) ?? nearestName(`/v1/${written.replace(/^\//, '')}`, known)
  return nearest === null ? '' : ` (did you mean "${nearest}"?)`
}

const trimmed = (written: string): string => {
  const path = written.trim()
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

const fits = (declared: string, path: string): boolean =>
  declared === path ||
  (/[:*{]/.test(declared) && pathToRegexp(declared, { sensitive: true }).regexp.test(path))
