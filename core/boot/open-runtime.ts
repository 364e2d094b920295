/** Opens what a gateway process runs on: stores, keys, seals, breakers, metrics, services. */

import { resolve } from 'node:path'
import { faultReason } from '@gateway/contract'
import Keyv from 'keyv'
import { createSemanticAnswers } from '../caching/index.ts'
import type { ConfigFile } from '../config/index.ts'
import { createResponseStore, endpointsWith } from '../endpoints/index.ts'
import type { Registry } from '../flow/index.ts'
import { estimateUsage, workspaceLimits } from '../metering/index.ts'
import { createLogQueue, createMetrics, metricsText } from '../observability/index.ts'
import { createEdge, createPipelines, node } from '../pipeline.ts'
import { createBalancer, createBreakers, createLimitRegistry, createSingleFlight } from '../routing/index.ts'
import { createNoRoutes, createRoutes, createShadows, type Services } from '../server/index.ts'
import { createBufferBudget, createProgressReporter } from '../shared/index.ts'
import { createMemoryCache, deserializeEntry, serializeEntry } from '../store/index.ts'
import {
  createKeyRing,
  createKeySets,
  createSecretValues,
  createWorkspaces,
  type MasterSealer,
  openIdentities,
  openSealer,
} from '../tenancy/index.ts'
import { type AdminKey, openAdminKey } from './admin-key.ts'
import { defaultBufferLimit } from './buffer-limit.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { GatewayRuntime } from './gateway-runtime.ts'
import type { LoadedSettings } from './load-settings.ts'
import { lockStore, type OpenPorts, openPorts } from './open-ports.ts'
import { openServicesOf } from './open-runtime-services.ts'
import { type Options, storeUrlOf } from './options.ts'
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

/** Throws an error whose message is for the operator when a store or a service cannot be opened. */
export async function openRuntime(
  given: GatewayOptions,
  registry: Registry,
  settings: LoadedSettings,
  options: Options,
): Promise<GatewayRuntime> {
  const lock =
    given.lockStore === true ? await lockStore(storeUrlOf(options), registry.stores, process.cwd()) : null
  const adminKey = await openKeys(options, settings.file)
  try {
    const sealer = await openSealer(options)
    const ports = await openStores(given, registry, settings, options)
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
  settings: LoadedSettings,
  options: Options,
): Promise<OpenPorts> {
  const { log } = given
  const { max_entries: maxEntries, max_bytes: maxBytes } = settings.file.cache
  const migrating = createProgressReporter(
    given.progressOutput ?? { err: (text) => log.info(text.trimEnd()) },
  )
  return openPorts({
    storeUrl: storeUrlOf(options),
    redisUrl: options.redisUrl,
    logsUrl: options.logsUrl,
    redis: settings.file.redis,
    stores: registry.stores,
    cache: { maxEntries, maxBytes },
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

interface Parts {
  given: GatewayOptions
  registry: Registry
  settings: LoadedSettings
  options: Options
  adminKey: AdminKey
  sealer: MasterSealer
  sealing: Sealing
}

/** How long to wait for another process's answer: through Postgres, messages take up to half a second each way. */
const learnCircuitsMs = 2000

/** Everything that depends on the stores. */
async function openOver(store: OpenPorts, parts: Parts): Promise<GatewayRuntime> {
  const { given, registry, settings, options, adminKey, sealer, sealing } = parts
  const adminKeys = createKeyRing(adminKey.entry === null ? [] : [adminKey.entry])
  const { log, endpoints = endpointsWith(registry.dialects) } = given
  const { max_entries: maxEntries, max_bytes: maxBytes } = settings.file.cache
  const current = { settings }
  const breakers = await createBreakers({
    shared: store.shared,
    learnMs: store.isShared ? learnCircuitsMs : 0,
    reportFault: (error) =>
      log.warn({ reason: faultReason(error) }, 'failed to share the state of a circuit breaker'),
    changed: (subject, event) => {
      const { provider, model, hostKind, organisationId, workspaceIds } = subject
      const data = { provider, model, host_kind: hostKind, state: event === 'opened' ? 'open' : 'closed' }
      const place = { organisation_id: organisationId, workspace_id: workspaceIds[0] ?? null }
      runtime.services
        .emit({ type: `breaker.${event}`, ...place, data })
        .catch((error: unknown) => log.warn({ reason: faultReason(error) }, 'failed to store an event'))
    },
  })
  const capacity = await createLimitRegistry({
    shared: store.shared,
    learnMs: store.isShared ? learnCircuitsMs : 0,
    maxWaiting: () => current.settings.file.server.max_waiting_requests,
    reportFault: (error) =>
      log.warn({ reason: faultReason(error) }, 'failed to share what is left of provider limits'),
  })
  const metrics = createMetrics({
    waitingRequests: () => capacity.queue.size,
    circuitStates: () => breakers.states(),
    areLimitsUnshared: store.areLimitsUnshared,
  })
  const answers = new Keyv<string>({
    store: store.kv,
    namespace: 'answers',
    serialize: serializeEntry,
    deserialize: deserializeEntry,
  })
  answers.on('error', (error: unknown) => {
    metrics.cacheErrors.inc({ operation: 'store' })
    log.warn({ reason: faultReason(error) }, 'cache error')
  })
  const collectOwn = () => metricsText(metrics.registry)
  const secrets = createSecretValues({
    documents: store.documents,
    sealer,
    managers: () => runtime.registry.secretManagers,
    io: (signal) => ({
      signal,
      now: () => Date.now(),
      fetch: (request) => runtime.current.settings.outbound.fetch(request, signal),
      isTrusted: (url) => runtime.current.settings.guard.isTrusted(url),
    }),
    now: () => Date.now(),
    report: (record, message) => log.warn(record, message),
  })
  const keySets = createKeySets({
    fetch: (request) => runtime.current.settings.outbound.fetch(request),
    now: () => Date.now(),
  })
  const responses = createResponseStore(
    // In memory, separate from the cache, so that neither evicts the other.
    options.redisUrl === null ? createMemoryCache({ maxEntries, maxBytes }) : store.kv,
  )
  const logs = createLogQueue({
    log: store.log,
    dropped: (count) => metrics.droppedLogs.inc({}, count),
    warn: (entries) => log.warn({ entries }, 'log entries dropped: the store did not accept them in time'),
    report: (error) =>
      log.warn({ reason: faultReason(error) }, 'failed to write log entries; they stay queued'),
  })
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
    identities: openIdentities({
      documents: store.documents,
      adminKeys,
      current,
      keySets,
      report: (error) => log.warn({ reason: faultReason(error) }, 'failed to cache an identity'),
    }),
    keySets,
    workspaces: createWorkspaces({
      ports: store,
      sealer,
      secrets,
      current,
      limitsOf: workspaceLimits,
      log,
    }),
    services: noServices,
    observer: null,
    routes: createNoRoutes(),
    runRequest: () => Promise.reject(new Error('No route is served yet.')),
    answers,
    singleFlight: createSingleFlight(),
    breakers,
    capacity,
    balancer: createBalancer(),
    estimateUsage,
    metrics,
    runNode: (exchange) => node.over(runtime)(exchange),
    semanticAnswers: createSemanticAnswers({ vectors: store.vectors, sealer, now: () => Date.now() }),
    collectMetrics: given.joinMetrics?.(metrics.registry) ?? collectOwn,
    log,
    shadows: createShadows(() => runtime),
    logs,
    stores: { counters: store.counters, logs, responses },
    logRequest: given.logRequest ?? log.info.bind(log),
    isDraining: false,
    isStopping: false,
    hasMetricsPort: settings.file.server.metrics_port !== null,
    hasLearnedCircuits: breakers.hasLearned,
    inFlight: metrics.inFlight,
    buffers: createBufferBudget(current, defaultBufferLimit(options.workers)),
  }
  runtime.services = await openServicesOf(runtime, given, options, store)
  runtime.observer = runtime.services.observer()
  serveRoutes(runtime)
  return runtime
}

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
