/**
 * `/v1/proxy/*`: any other route of a provider, with the usual methods, through the inference pipeline. Errors: 404
 * `not_found` for a path that could escape the provider's base path.
 */
import { readEveryText } from '@gateway/contract/dialect'
import { rawUsageOf } from '@gateway/streaming'
import { checkProxyPath } from '@gateway/upstream'
import { declareEndpoint, type EndpointRoute } from './declare-endpoint.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const route = (method: (typeof methods)[number]): EndpointRoute => ({
  method,
  path: '/v1/proxy/*rest',
  operationId: `proxy${method.charAt(0)}${method.slice(1).toLowerCase()}`,
  summary: `Sends a ${method} request to any other route of a provider`,
  tag: 'Proxy',
  media: method === 'GET' ? { answer: ['*/*'] } : { body: ['*/*'], answer: ['*/*'] },
  pipeline: 'inference',
  async serve(exchange, _params, { run }) {
    checkProxyPath(exchange.transport.path)
    return run(exchange)
  },
})

export const proxy = declareEndpoint({
  id: 'proxy',
  isProxied: true,
  routes: methods.map(route),
  requestTexts: (body, parts) => readEveryText(body, 'input', parts),
  answerTexts: (body, parts) => readEveryText(body, 'assistant', parts),
  readUsage: rawUsageOf,
  // The price of an arbitrary route is unknown.
  isEstimatePriced: false,
  mayCache: () => false,
})
