/** Headers of the caller that some provider gets at an endpoint without their being listed: an answer depends on them. */
import type { EndpointId } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import type { Registry } from '../registry.ts'

const known = new WeakMap<Registry, Map<EndpointId, readonly string[]>>()

/** Their names, for the endpoint of this exchange. */
export function passedHeaders({ endpoint, settings }: Exchange): readonly string[] {
  if (endpoint === null) return []
  const { registry } = settings.context
  const byEndpoint = known.get(registry) ?? new Map<EndpointId, readonly string[]>()
  known.set(registry, byEndpoint)
  const names = byEndpoint.get(endpoint) ?? collect(registry, endpoint)
  byEndpoint.set(endpoint, names)
  return names
}

function collect(registry: Registry, id: EndpointId): readonly string[] {
  const names = [...registry.providers.values()].flatMap(({ endpoints }) => {
    const endpoint = endpoints[id]
    return endpoint === undefined || endpoint.kind === 'procedure' ? [] : (endpoint.passes ?? [])
  })
  return [...new Set(names)].sort()
}
