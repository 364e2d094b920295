/**
 * Headers of the caller that some provider receives at an endpoint although they are not listed in `forward_headers`:
 * an answer depends on them.
 */

import type { EndpointId } from '@gateway/contract'
import type { Registry, Routed, StoredProvider } from '@gateway/flow'

type StoredProviders = ReadonlyMap<string, StoredProvider>

const known = new WeakMap<Registry, Map<EndpointId, readonly string[]>>()
const knownOfStored = new WeakMap<StoredProviders, readonly string[]>()

/**
 * Names of these headers for the endpoint of this exchange: those of formats, and those that stored credentials
 * forward.
 */
export function passedHeaders({ endpoint, workspace }: Routed): readonly string[] {
  if (endpoint === null) return []
  const { storedProviders, context } = workspace
  const byFormat = namesOfFormats(context.registry, endpoint.id)
  const byStored = knownOfStored.get(storedProviders) ?? collectOfStored(storedProviders)
  knownOfStored.set(storedProviders, byStored)
  return byStored.length === 0 ? byFormat : [...byFormat, ...byStored]
}

function namesOfFormats(registry: Registry, endpoint: EndpointId): readonly string[] {
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
  return sorted(names)
}

const collectOfStored = (providers: StoredProviders): readonly string[] =>
  sorted([...providers.values()].flatMap(({ forwardHeaders }) => forwardHeaders))

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
