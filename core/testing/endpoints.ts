/** The endpoints at which checks are run: the gateway's, and those of the installed dialects. */
import type { EndpointId } from '@gateway/contract'
import { discover, endpointsWith } from '@gateway/core/harness'

const { registry } = await discover({ packages: [], disabled: [], directory: '.', kinds: ['dialect'] })
const endpoints = new Map(endpointsWith(registry.dialects).map((endpoint) => [endpoint.id, endpoint]))

export const hasEndpoint = (id: EndpointId): boolean => endpoints.has(id)

export function endpointOf(id: EndpointId) {
  const endpoint = endpoints.get(id)
  if (endpoint === undefined) throw new Error(`No endpoint is declared with the id ${id}.`)
  return endpoint
}
