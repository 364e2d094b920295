/** Opens the service packages of a runtime and starts their jobs. */
import { setMaxListeners } from 'node:events'
import { type Capabilities, faultReason, GatewayError, type Job } from '@gateway/contract'
import { targetHealthOf } from '@gateway/routing'
import { describeRoutes } from '../endpoints/index.ts'
import { logRetention } from '../observability/index.ts'
import {
  type CapabilityOptions,
  createCapabilities,
  openServices,
  planInference,
  runInference,
  runJobs,
  type Services,
} from '../server/index.ts'
import { keyClaim } from '../tenancy/index.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { GatewayRuntime } from './gateway-runtime.ts'
import { batchSettings, fileSettings } from './object-settings.ts'
import type { OpenPorts } from './open-ports.ts'
import type { Options } from './options.ts'
import { telemetrySettings } from './telemetry-settings.ts'

/** Time between two checks for usage that stopped processes have left. */
const keptUsageMs = 30_000

interface Process {
  given: GatewayOptions
  options: Options
  ports: OpenPorts
}

export async function openServicesOf(runtime: GatewayRuntime, process: Process): Promise<Services> {
  const stopping = new AbortController()
  // Every open stream of log entries adds a listener.
  setMaxListeners(0, stopping.signal)
  const capabilities = capabilitiesOf(runtime, process, stopping.signal)
  const { jobs, ...services } = await openServices(runtime.registry.services, capabilities)
  const running = startJobs(runtime, process.ports, jobs)
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

/** The capabilities that services can request from the gateway. */
function capabilitiesOf(
  runtime: GatewayRuntime,
  { given, options, ports }: Process,
  stopping: AbortSignal,
): Capabilities {
  // Set at startup; a reload does not change it.
  const isTls = runtime.current.settings.file.server.tls !== null
  const scheme = isTls ? 'https' : 'http'
  return createCapabilities({
    ports,
    sealer: runtime.sealer,
    secrets: runtime.secrets,
    buffers: () => runtime.buffers,
    keySets: runtime.keySets,
    settings: () => runtime.current.settings,
    settingsOf: (workspaceId) => runtime.workspaces.settingsOf(workspaceId),
    registry: () => runtime.registry,
    endpoints: runtime.endpoints,
    identify: async (text, address) => (await runtime.identities.find(keyClaim(text, address))).identity,
    isAddressAllowed: (organisationId, address) =>
      runtime.identities.isAddressAllowed(organisationId, address),
    runInference: (request) => runInference(runtime, request),
    planInference: (request) => planInference(runtime, request),
    renderPrompt: (request) => runtime.services.renderPrompt(request),
    targetHealth: (organisationId, workspaceId) =>
      targetHealthOf(
        runtime.breakers.usedBy(organisationId, workspaceId),
        runtime.capacity.usedBy(organisationId, workspaceId),
        Date.now(),
      ),
    routes: () => describeRoutes(runtime.endpoints, runtime.services.routes),
    filePath: given.configPath,
    keyPrefix: options.apiKeyPrefix,
    logs: logsOf(runtime),
    auditRetentionDays: () => runtime.current.settings.file.logs.audit_retention_days,
    metrics: metricsOf(runtime),
    telemetry: () => telemetrySettings(runtime.current.settings.file.telemetry, given.environment),
    emit: (event) => runtime.services.emit(event),
    countDeliveries: (outcome, count) => runtime.metrics.deliveries.inc({ outcome }, count),
    countMail: (outcome) => runtime.metrics.mail.inc({ outcome }),
    email: () => runtime.current.settings.file.email,
    files: () => fileSettings(runtime.current.settings.file, options),
    batches: () => batchSettings(runtime.current.settings.file),
    publicUrl: () =>
      runtime.current.settings.file.public_url ?? `${scheme}://${options.host}:${options.port}`,
    isBehindTls: () => isTls || runtime.current.settings.file.public_url?.startsWith('https:') === true,
    stopping,
    beginWork: () => beginWork(runtime.inFlight),
    log: runtime.log,
  })
}

/** Services may call the returned function more than once. */
function beginWork(inFlight: GatewayRuntime['inFlight']): () => void {
  let isRunning = true
  inFlight.begin()
  return () => {
    if (isRunning) inFlight.end()
    isRunning = false
  }
}

const logsOf = (runtime: GatewayRuntime): CapabilityOptions['logs'] => ({
  settings: () => ({
    ...runtime.current.settings.logs,
    retentionDays: logDays(runtime),
    metricsRetentionDays: metricsDays(runtime),
  }),
  add: (entry) => runtime.logs.add(entry),
  listen: (listener) => runtime.logs.listen(listener),
  flush: () => runtime.logs.flush(),
})

const metricsOf = ({ metrics, inFlight }: GatewayRuntime): CapabilityOptions['metrics'] => ({
  batchLine: (result) => metrics.batchLines.inc({ result }),
  batches(byStatus) {
    metrics.batches.reset()
    for (const [status, count] of Object.entries(byStatus)) metrics.batches.set({ status }, count)
  },
  inferenceInFlight: () => inFlight.inference,
  filesBytes: (bytes) => metrics.filesBytes.set(bytes),
  telemetryDropped: (count) => metrics.droppedTelemetry.inc({}, count),
})

/** The gateway's own jobs, and those of services. */
function startJobs(runtime: GatewayRuntime, ports: OpenPorts, jobs: readonly Job[]) {
  const { log } = runtime
  const retention = logRetention({
    log: ports.log,
    documents: ports.documents,
    days: () => logDays(runtime),
    metricsDays: () => metricsDays(runtime),
  })
  const keptUsage = {
    name: 'undelivered-usage',
    intervalMs: keptUsageMs,
    run: () => ports.deliverKeptUsage(),
  }
  // Usage left by earlier processes; the job retries.
  ports
    .deliverKeptUsage()
    .catch((error: unknown) => log.warn({ reason: faultReason(error) }, 'failed to deliver kept usage'))
  return runJobs({
    jobs: [retention, keptUsage, ...jobs],
    shared: ports.shared,
    now: () => Date.now(),
    report: (job, error) => log.error({ job, reason: faultReason(error) }, 'background job failed'),
  })
}

const logDays = ({ current: { settings } }: Pick<GatewayRuntime, 'current'>) =>
  settings.file.logs.retention_days
const metricsDays = ({ current: { settings } }: Pick<GatewayRuntime, 'current'>) =>
  settings.file.logs.metrics_retention_days
