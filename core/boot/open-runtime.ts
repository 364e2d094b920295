/** What a gateway process runs on: stores, keys, seals, breakers, metrics, services. */

import { resolve } from 'node:path'
import { GatewayError, type Ports, type RequestObserver } from '@gateway/contract'
import Keyv from 'keyv'
import type { Logger } from 'pino'
import { createSemanticAnswers } from '../caching/semantic-answers.ts'
import type { ConfigFile } from '../config/file/read-file.ts'
import { endpoints } from '../endpoints/index.ts'
import { describeRoutes } from '../endpoints/openapi.ts'
import { createResponseStore } from '../endpoints/responses/response-store.ts'
import type { Registry } from '../flow/registry.ts'
import { workspaceLimits } from '../metering/limits/workspace-limits.ts'
import { createLogQueue, type LogQueue } from '../observability/log-queue.ts'
import { logRetention } from '../observability/log-retention.ts'
import { createMetrics, type Metrics, metricsText } from '../observability/metrics.ts'
import { createEdge, node, pipelines } from '../pipeline.ts'
import { createBalancer } from '../routing/balancer.ts'
import { type BreakerRegistry, createBreakers } from '../routing/breaker/breaker-registry.ts'
import { targetHealthOf } from '../routing/breaker/target-health.ts'
import { createSingleFlight } from '../routing/single-flight.ts'
import { runInference } from '../server/in-process/run-inference.ts'
import { createRoutes, type Routes } from '../server/routes.ts'
import type { ServerRuntime } from '../server/server-runtime.ts'
import { createServiceContext } from '../server/service-context.ts'
import { openServices, runJobs, type Services } from '../server/services.ts'
import { createBufferBudget } from '../shared/buffer-budget.ts'
import { createProgressReporter } from '../shared/progress.ts'
import { deserializeEntry, serializeEntry } from '../store/entry-codec.ts'
import { createMemoryCache } from '../store/memory/cache.ts'
import { type Identities, keyClaim, openIdentities } from '../tenancy/identity/identities.ts'
import { createKeySets } from '../tenancy/identity/jwks.ts'
import { createKeyRing, type KeyRing } from '../tenancy/identity/key-ring.ts'
import { openSealer } from '../tenancy/secrets/open-sealer.ts'
import type { MasterSealer } from '../tenancy/secrets/sealer.ts'
import { createSecretValues, type SecretValues } from '../tenancy/secrets/secret-values.ts'
import { createWorkspaces, type Workspaces } from '../tenancy/workspaces/workspaces.ts'
import { openAdminKey } from './admin-key.ts'
import { defaultBufferLimit } from './buffer-limit.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { LoadedSettings } from './load-settings.ts'
import { batchSettings, fileSettings } from './object-settings.ts'
import { lockStore, type OpenPorts, openPorts } from './open-ports.ts'
import { type Options, storeUrlOf } from './options.ts'
import { type Sealing, sealOldSecrets } from './seal-old-secrets.ts'
import { telemetrySettings } from './telemetry-settings.ts'

/** Everything that a process holds. */
export interface GatewayRuntime extends ServerRuntime {
  readonly registry: Registry
  readonly current: { settings: LoadedSettings }
  /** Keys beside those of the config file. */
  readonly adminKeys: KeyRing
  readonly store: OpenPorts
  readonly sealer: MasterSealer
  /** Secrets stored by an earlier version. */
  readonly sealing: Sealing
  readonly secrets: SecretValues
  readonly identities: Identities
  readonly workspaces: Workspaces
  /** Opened last, with their routes. */
  services: Services
  observer: RequestObserver | null
  routes: Routes
  runRequest: ServerRuntime['runRequest']
  readonly breakers: BreakerRegistry
  readonly metrics: Metrics
  readonly log: Logger
  readonly logs: LogQueue
  isDraining: boolean
}

/** The admin key, generated at the very first start. */
export async function openKeys(
  options: Options,
  file: ConfigFile,
  print: (key: string) => void,
): Promise<KeyRing> {
  const admin = await openAdminKey({
    given: options.adminKey ?? undefined,
    prefix: options.apiKeyPrefix,
    dataDirectory: options.dataDir,
    hasFileKeys: file.api_keys.length > 0,
    print,
  })
  return createKeyRing(admin === null ? [] : [admin])
}

/** Throws an error whose message is for the operator when a store or a service cannot be opened. */
export async function openRuntime(
  given: GatewayOptions,
  registry: Registry,
  settings: LoadedSettings,
  options: Options,
): Promise<GatewayRuntime> {
  const { log } = given
  const url = storeUrlOf(options)
  const lock = given.lockStore === true ? await lockStore(url, registry.stores, process.cwd()) : null
  const adminKeys = await openKeys(options, settings.file, given.printKey)
  const sealer = await openSealer(options)
  const { max_entries: maxEntries, max_bytes: maxBytes } = settings.file.cache
  const migrating = createProgressReporter(
    given.progressOutput ?? { err: (text) => log.info(text.trimEnd()) },
  )
  const ports = await openPorts({
    storeUrl: url,
    redisUrl: options.redisUrl,
    logsUrl: options.logsUrl,
    redis: settings.file.redis,
    stores: registry.stores,
    cache: { maxEntries, maxBytes },
    options: {
      directory: process.cwd(),
      dataDirectory: resolve(options.dataDir),
      report: (message, error) => log.warn({ reason: reasonOf(error) }, message),
      progress: migrating.report,
    },
    cluster: given.shared,
  }).finally(migrating.end)
  const store: OpenPorts = {
    ...ports,
    async close() {
      await ports.close()
      lock?.release()
    },
  }
  try {
    const sealing = await sealOldSecrets({ documents: store.documents, sealer, log })
    try {
      return await openOver(store, { given, registry, settings, options, adminKeys, sealer, sealing })
    } catch (error) {
      await sealing.stop()
      throw error
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Parts {
  given: GatewayOptions
  registry: Registry
  settings: LoadedSettings
  options: Options
  adminKeys: KeyRing
  sealer: MasterSealer
  sealing: Sealing
}

/** How long to wait for another process's answer: through Postgres, messages take up to half a second each way. */
const learnCircuitsMs = 2000

/** Everything that depends on the stores. */
async function openOver(store: OpenPorts, parts: Parts): Promise<GatewayRuntime> {
  const { given, registry, settings, options, adminKeys, sealer, sealing } = parts
  const { log } = given
  const { max_entries: maxEntries, max_bytes: maxBytes } = settings.file.cache
  const breakers = await createBreakers({
    shared: store.shared,
    learnMs: store.isShared ? learnCircuitsMs : 0,
    reportFault: (error) =>
      log.warn({ reason: reasonOf(error) }, 'failed to share the state of a circuit breaker'),
    changed: (subject, event) => {
      const { provider, model, hostKind, organisationId, workspaceIds } = subject
      const data = { provider, model, host_kind: hostKind, state: event === 'opened' ? 'open' : 'closed' }
      const place = { organisation_id: organisationId, workspace_id: workspaceIds[0] ?? null }
      runtime.services
        .emit({ type: `breaker.${event}`, ...place, data })
        .catch((error: unknown) => log.warn({ reason: reasonOf(error) }, 'failed to store an event'))
    },
  })
  const metrics = createMetrics({
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
    log.warn({ reason: reasonOf(error) }, 'cache error')
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
  const current = { settings }
  const runtime: GatewayRuntime = {
    registry,
    current,
    adminKeys,
    store,
    sealer,
    sealing,
    secrets,
    identities: openIdentities({
      documents: store.documents,
      adminKeys,
      current,
      keySets,
      report: (error) => log.warn({ reason: reasonOf(error) }, 'failed to cache an identity'),
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
    routes: noRoutes,
    runRequest: () => Promise.reject(new Error('No route is served yet.')),
    answers,
    responses: createResponseStore(
      // In memory, separate from the cache, so that neither evicts the other.
      options.redisUrl === null ? createMemoryCache({ maxEntries, maxBytes }) : store.kv,
    ),
    singleFlight: createSingleFlight(),
    breakers,
    balancer: createBalancer(),
    metrics,
    runNode: node,
    semanticAnswers: createSemanticAnswers({ vectors: store.vectors, sealer, now: () => Date.now() }),
    collectMetrics: given.joinMetrics?.(metrics.registry) ?? collectOwn,
    log,
    logs: createLogQueue({
      log: store.log,
      dropped: (count) => metrics.droppedLogs.inc({}, count),
      warn: (entries) => log.warn({ entries }, 'log entries dropped: the store did not accept them in time'),
      report: (error) =>
        log.warn({ reason: reasonOf(error) }, 'failed to write log entries; they stay queued'),
    }),
    logRequest: given.logRequest ?? log.info.bind(log),
    isDraining: false,
    hasMetricsPort: settings.file.server.metrics_port !== undefined,
    hasLearnedCircuits: breakers.hasLearned,
    inFlight: metrics.inFlight,
    buffers: createBufferBudget(current, defaultBufferLimit(options.workers)),
  }
  runtime.services = await openAllServices(runtime, given, options, store)
  runtime.observer = runtime.services.observer()
  serveRoutes(runtime, given)
  return runtime
}

/** Until they are open. */
const noServices: Services = {
  routes: [],
  endpoints: {},
  refusedToken: async () => undefined,
  configRead: async () => undefined,
  limitReached: async () => undefined,
  renderPrompt: () => Promise.reject(new Error('No service is open yet.')),
  emit: async () => undefined,
  observer: () => null,
  stop: () => undefined,
  close: async () => undefined,
}

const noRoutes = createRoutes({ endpoints: [], pipelines, services: [], handlers: {} })

/** From here on, requests are served. */
function serveRoutes(runtime: GatewayRuntime, given: GatewayOptions): void {
  runtime.routes = createRoutes({
    endpoints: given.endpoints ?? endpoints,
    pipelines,
    services: runtime.services.routes,
    handlers: runtime.services.endpoints,
  })
  runtime.runRequest = createEdge(runtime.routes)
}

async function openAllServices(
  runtime: GatewayRuntime,
  given: GatewayOptions,
  options: Options,
  ports: Ports,
): Promise<Services> {
  const { log } = given
  const stopping = new AbortController()
  // Fixed at the start; a reload does not change it.
  const isTls = runtime.current.settings.file.server.tls !== null
  const scheme = isTls ? 'https' : 'http'
  const context = createServiceContext({
    ports,
    sealer: runtime.sealer,
    secrets: runtime.secrets,
    buffers: () => runtime.buffers,
    keySets: runtime.keySets,
    settings: () => runtime.current.settings,
    settingsOf: (workspaceId) => runtime.workspaces.settingsOf(workspaceId),
    registry: () => runtime.registry,
    identify: async (text, address) => (await runtime.identities.find(keyClaim(text, address))).identity,
    isAddressAllowed: (organisationId, address) =>
      runtime.identities.isAddressAllowed(organisationId, address),
    runInference: (request) => runInference(runtime, request),
    targetHealth: (organisationId, workspaceId) =>
      runtime.breakers.usedBy(organisationId, workspaceId).map(targetHealthOf),
    routes: () => describeRoutes(given.endpoints ?? endpoints, runtime.services.routes),
    filePath: given.configPath,
    keyPrefix: options.apiKeyPrefix,
    logs: {
      settings: () => ({
        ...runtime.current.settings.logs,
        retentionDays: logDays(runtime),
        metricsRetentionDays: metricsDays(runtime),
      }),
      add: (entry) => runtime.logs.add(entry),
      listen: (listener) => runtime.logs.listen(listener),
      flush: () => runtime.logs.flush(),
    },
    auditRetentionDays: () => runtime.current.settings.file.logs?.audit_retention_days ?? 365,
    metrics: {
      batchLine: (result) => runtime.metrics.batchLines.inc({ result }),
      batches(byStatus) {
        runtime.metrics.batches.reset()
        for (const [status, count] of Object.entries(byStatus)) runtime.metrics.batches.set({ status }, count)
      },
      filesBytes: (bytes) => runtime.metrics.filesBytes.set(bytes),
      telemetryDropped: (count) => runtime.metrics.droppedTelemetry.inc({}, count),
    },
    telemetry: () => telemetrySettings(runtime.current.settings.file.telemetry, given.environment),
    emit: (event) => runtime.services.emit(event),
    countDeliveries: (outcome, count) => runtime.metrics.deliveries.inc({ outcome }, count),
    countMail: (outcome) => runtime.metrics.mail.inc({ outcome }),
    email: () => runtime.current.settings.file.email ?? null,
    files: () => fileSettings(runtime.current.settings.file, options),
    batches: () => batchSettings(runtime.current.settings.file),
    publicUrl: () =>
      runtime.current.settings.file.public_url ?? `${scheme}://${options.host}:${options.port}`,
    isBehindTls: () => isTls || runtime.current.settings.file.public_url?.startsWith('https:') === true,
    stopping: stopping.signal,
    beginWork: () => runtime.inFlight.begin(),
    log,
  })
  const { jobs, ...services } = await openServices(runtime.registry.services, context)
  const retention = logRetention({
    log: ports.log,
    documents: ports.documents,
    days: () => logDays(runtime),
    metricsDays: () => metricsDays(runtime),
  })
  const running = runJobs({
    jobs: [retention, ...jobs],
    shared: ports.shared,
    now: () => Date.now(),
    report: (job, error) => log.error({ job, reason: reasonOf(error) }, 'background job failed'),
  })
  return {
    ...services,
    async configRead(isApplied) {
      await services.configRead(isApplied)
      runtime.observer = services.observer()
    },
    stop: () => stopping.abort(new GatewayError('shutting_down', 'The gateway is shutting down.')),
    async close() {
      await running.stop()
      await services.close()
    },
  }
}

const logDays = ({ current: { settings } }: Pick<GatewayRuntime, 'current'>) =>
  settings.file.logs.retention_days ?? 30
const metricsDays = ({ current: { settings } }: Pick<GatewayRuntime, 'current'>) =>
  settings.file.logs.metrics_retention_days ?? 365

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : 'error')
