/** Opens the runtime of a gateway process: stores, keys, seals, breakers, metrics, services. */

import { resolve } from 'node:path'
import type { ConfigFile } from '@gateway/config-file'
import { faultReason } from '@gateway/contract'
import { createBufferBudget, type Registry } from '@gateway/flow'
import { createBalancer } from '@gateway/routing'
import { createMemoryCache } from '@gateway/store'
import { createSemanticAnswers, createSingleFlight } from '../caching/index.ts'
import { createResponseStore, endpointsWith } from '../endpoints/index.ts'
import { estimateUsage, workspaceLimits } from '../metering/index.ts'
import { createMetrics, metricsText } from '../observability/index.ts'
import { createEdge, createPipelines, node } from '../pipeline.ts'
import { createNoRoutes, createRoutes, createShadows, type Services } from '../server/index.ts'
import { createKeyRing, createWorkspaces, type MasterSealer, openSealer } from '../tenancy/index.ts'
import { type AdminKey, openAdminKey } from './admin-key.ts'
import { defaultBufferLimit } from './buffer-limit.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { GatewayRuntime } from './gateway-runtime.ts'
import type { LoadedSettings } from './load-settings.ts'
import { lockStore, type OpenPorts, openPorts } from './open-ports.ts'
import { openServicesOf } from './open-runtime-services.ts'
import { type Options, storeUrlOf } from './options.ts'
import { createProgressReporter } from './progress.ts'
import {
  type Opening,
  openAnswers,
  openBreakers,
  openCallers,
  openCapacity,
  openKeySets,
  openLogs,
  openSecretValues,
} from './runtime-parts.ts'
import { type Sealing, sealOldSecrets } from './seal-old-secrets.ts'

/** The admin key, generated at the very first start. */
export function openKeys(options: Options, file: ConfigFile): Promise<AdminKey> {
  return openAdminKey({
    given: options.adminKey ?? undefined,
    prefix: options.apiKeyPrefix,
    dataDirectory: options.dataDir,
    hasFileKeys: file.api_keys.length > 0,
  })
}

/** Throws an error whose message is for the operator if a store or a service cannot be opened. */
export async function openRuntime(
  given: GatewayOptions,
  registry: Registry,
  { settings, options }: { settings: LoadedSettings; options: Options },
): Promise<GatewayRuntime> {
  const lock =
    given.lockStore === true ? await lockStore(storeUrlOf(options), registry.stores, process.cwd()) : null
  const adminKey = await openKeys(options, settings.file)
  try {
    const sealer = await openSealer(options)
    const ports = await openStores(given, registry, { settings, options })
    const store: OpenPorts = {
      ...ports,
      async close() {
        await ports.close()
        lock?.release()
      },
    }
    try {
      const sealing = await sealOldSecrets({ documents: store.documents, sealer, log: given.log })
      try {
        return await openOver(store, { given, registry, settings, options, adminKey, sealer, sealing })
      } catch (error) {
        await sealing.stop()
        throw error
      }
    } catch (error) {
      await store.close()
      throw error
    }
  } catch (error) {
    await adminKey.created?.discard()
    throw error
  }
}

async function openStores(
  given: GatewayOptions,
  registry: Registry,
  { settings, options }: { settings: LoadedSettings; options: Options },
): Promise<OpenPorts> {
  const { log } = given
  const migrating = createProgressReporter(
    given.progressOutput ?? { err: (text) => log.info(text.trimEnd()) },
  )
  return openPorts({
    storeUrl: storeUrlOf(options),
    redisUrl: options.redisUrl,
    logsUrl: options.logsUrl,
    redis: settings.file.redis,
    stores: registry.stores,
    cache: cacheBounds(settings.file),
    options: {
      directory: process.cwd(),
      dataDirectory: resolve(options.dataDir),
      report: (message, error) => log.warn({ reason: faultReason(error) }, message),
      progress: migrating.report,
    },
    cluster: given.shared,
    clusterCounters: given.counters,
  }).finally(migrating.end)
}

const cacheBounds = ({ cache: { max_entries: maxEntries, max_bytes: maxBytes } }: ConfigFile) => ({
  maxEntries,
  maxBytes,
})

interface Parts {
  given: GatewayOptions
  registry: Registry
  settings: LoadedSettings
  options: Options
  adminKey: AdminKey
  sealer: MasterSealer
  sealing: Sealing
}

/** Everything that depends on the stores. */
async function openOver(store: OpenPorts, parts: Parts): Promise<GatewayRuntime> {
  const { given, registry, settings, options, adminKey, sealer, sealing } = parts
  const adminKeys = createKeyRing(adminKey.entry === null ? [] : [adminKey.entry])
  const { log, endpoints = endpointsWith(registry.dialects) } = given
  const current = { settings }
  const opening: Opening = { store, log, current, runtime: () => runtime }
  const breakers = await openBreakers(opening)
  const capacity = await openCapacity(opening)
  const metrics = createMetrics({
    waitingRequests: () => capacity.queue.size,
    circuitStates: () => breakers.states(),
    areLimitsUnshared: store.areLimitsUnshared,
  })
  const secrets = openSecretValues(opening, sealer)
  const keySets = openKeySets(opening)
  const logs = openLogs(opening, metrics)
  const runtime: GatewayRuntime = {
    endpoints,
    registry,
    current,
    adminKeys,
    createdAdminKey: adminKey.created,
    store,
    sealer,
    sealing,
    secrets,
    identities: openCallers(opening, { adminKeys, keySets }),
    keySets,
    workspaces: createWorkspaces({ ports: store, sealer, secrets, current, limitsOf: workspaceLimits, log }),
    services: noServices,
    observer: null,
    routes: createNoRoutes(),
    runRequest: () => Promise.reject(new Error('No route is served yet.')),
    answers: openAnswers(opening),
    singleFlight: createSingleFlight(),
    breakers,
    capacity,
    balancer: createBalancer(),
    estimateUsage,
    metrics,
    runNode: (exchange) => node.over(runtime)(exchange),
    semanticAnswers: createSemanticAnswers({ vectors: store.vectors, sealer, now: () => Date.now() }),
    collectMetrics: given.joinMetrics?.(metrics.registry) ?? (() => metricsText(metrics.registry)),
    log,
    shadows: createShadows(() => runtime),
    logs,
    stores: { counters: store.counters, logs, responses: openResponses(store, parts) },
    logRequest: given.logRequest,
    isDraining: false,
    isStopping: false,
    hasMetricsPort: settings.file.server.metrics_port !== null,
    hasLearnedCircuits: breakers.hasLearned,
    inFlight: metrics.inFlight,
    buffers: createBufferBudget(current, defaultBufferLimit(options.workers)),
  }
  runtime.services = await openServicesOf(runtime, { given, options, ports: store })
  runtime.observer = runtime.services.observer()
  serveRoutes(runtime)
  return runtime
}

/** Stored responses: in memory, separate from the cache, so that neither evicts the other. */
const openResponses = ({ kv }: OpenPorts, { options, settings }: Parts) =>
  createResponseStore(options.redisUrl === null ? createMemoryCache(cacheBounds(settings.file)) : kv)

/** Used until the services are open. */
const noServices: Services = {
  routes: [],
  endpoints: {},
  refusedToken: async () => undefined,
  configRead: async () => undefined,
  limitReached: async () => undefined,
  shadowed: async () => undefined,
  renderPrompt: () => Promise.reject(new Error('No service is open yet.')),
  emit: async () => undefined,
  observer: () => null,
  stop: () => undefined,
  close: async () => undefined,
}

/** From here on, requests are served. */
function serveRoutes(runtime: GatewayRuntime): void {
  runtime.routes = createRoutes(runtime, {
    endpoints: runtime.endpoints,
    pipelines: createPipelines(runtime),
    services: runtime.services.routes,
    handlers: runtime.services.endpoints,
  })
  runtime.runRequest = createEdge(runtime, runtime.routes)
}
