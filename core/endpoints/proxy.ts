/**
 * `/v1/proxy/*`: any other route of a provider, by any of the usual methods, through the same pipeline as inference.
 * Errors: 404 `not_found` for a path that could lead out of the provider's.
 */
import type { Exchange } from '../flow/exchange.ts'
import { request } from '../pipeline.ts'
import { checkProxyPath } from '../upstream/proxy-url.ts'

export const proxyMethods: string[] = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

export const proxyPath = '/v1/proxy/*rest'

export async function proxy(exchange: Exchange): Promise<void> {
  exchange.endpoint = 'proxy'
  checkProxyPath(exchange.transport.path)
  await request(exchange)
}
