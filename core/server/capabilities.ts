/** The capabilities that the gateway can give to its services: stores, sealing, and lookups in the configuration. */

import { checkCredential, compileConfig } from '@gateway/config'
import type { Config } from '@gateway/config-file'
import {
  type Capabilities,
  type CheckSummary,
  compileTogether,
  type Fault,
  type JsonObject,
  type KeySets,
  type LogService,
  type Ports,
  type ProviderSummary,
  type Route,
  type Sealer,
  schemaAsJson,
} from '@gateway/contract'
import { type Guardrail, parseRange } from '@gateway/domain'
import type { BufferBudget, ListedEndpoint, MaybePromise, Registry, Settings } from '@gateway/flow'
import { createValidator, toFaults } from '@gateway/validation'
import type { Logger } from 'pino'
import { createCatalogue, type IntegrationDraft, tryCredential } from '../endpoints/index.ts'
import { faultsInEitherPhase } from '../guardrails/index.ts'
import { listedPrice, priceCall } from '../metering/index.ts'
import type { SecretValues } from '../tenancy/index.ts'
import { allowsOrigin } from './cors.ts'
import { sendStream } from './send-stream.ts'
import { summarisePlugins } from './summarise-plugins.ts'

export interface CapabilityOptions {
  ports: Ports
  sealer: Sealer
  secrets: SecretValues
  buffers(): BufferBudget
  keySets: KeySets
  /** The running configuration, which a reload replaces. */
  settings(): Settings
  /** The configuration of one workspace, including stored objects. */
  settingsOf(workspaceId: string): MaybePromise<Settings>
  registry(): Registry
  endpoints: readonly ListedEndpoint[]
  identify: Capabilities['identify']
  isAddressAllowed: Capabilities['isAddressAllowed']
  runInference: Capabilities['runInference']
  planInference: Capabilities['planInference']
  renderPrompt: Capabilities['renderPrompt']
  targetHealth: Capabilities['targetHealth']
  routes(): readonly Omit<Route, 'handle'>[]
  filePath: string
  keyPrefix: string
  publicUrl(): string
  isBehindTls(): boolean
  auditRetentionDays(): number
  metrics: Capabilities['metrics']
  files: Capabilities['files']
  batches: Capabilities['batches']
  logs: Omit<LogService, 'price'>
  stopping: AbortSignal
  beginWork: Capabilities['beginWork']
  emit: Capabilities['emit']
  countDeliveries: Capabilities['countDeliveries']
  countMail: Capabilities['countMail']
  email: Capabilities['email']
  telemetry: Capabilities['telemetry']
  log: Logger
}

export function createCapabilities(given: CapabilityOptions): Capabilities {
  const { ports, registry, settings } = given
  return {
    ...storesOf(ports),
    ...lookupsIn(settings, registry),
    ...checksOf(given),
    ...modelsOf(given),
    identify: given.identify,
    isAddressAllowed: given.isAddressAllowed,
    isAddressRange: (entry) => parseRange(entry) !== null,
    runInference: given.runInference,
    planInference: given.planInference,
    renderPrompt: given.renderPrompt,
    targetHealth: given.targetHealth,
    sealer: given.sealer,
    filePath: given.filePath,
    keyPrefix: given.keyPrefix,
    publicUrl: given.publicUrl,
    isBehindTls: given.isBehindTls,
    mappedSecrets: (mappings, workspaceId) => given.secrets.mapped(mappings, workspaceId),
    keySets: given.keySets,
    validator: compileValidator,
    auditRetentionDays: given.auditRetentionDays,
    metrics: given.metrics,
    emit: given.emit,
    countDeliveries: given.countDeliveries,
    countMail: given.countMail,
    email: given.email,
    telemetry: given.telemetry,
    files: given.files,
    batches: given.batches,
    logs: {
      ...given.logs,
      price: async (call) =>
        priceCall(
          await given.settingsOf(call.workspaceId),
          given.endpoints.find(({ id }) => id === call.endpoint) ?? null,
          call,
        ),
    },
    routes: given.routes,
    log: given.log,
    stopping: given.stopping,
    beginWork: given.beginWork,
    now: () => Date.now(),
  }
}

/** What the running configuration and the registry contain. */
const lookupsIn = (settings: () => Settings, registry: () => Registry) =>
  ({
    embeddingModel: () => embeddingModel(settings()),
    fileDocuments: () => settings().documents,
    providers: () => summariseProviders(settings().context.registry),
    checks: () => summariseChecks(registry()),
    plugins: () => summarisePlugins(registry(), settings()),
    secretManagers: () => registry().secretManagers,
    checkUrl: (url) => settings().guard.checkUrl(url),
    fetch: (request) => settings().outbound.fetch(request),
    send: (request, signal) => sendStream(settings().upstream, request, signal),
    fileSecrets: (kind, id) => settings().fileSecrets.get(`${kind}/${id}`) ?? null,
    isTrusted: (url) => settings().guard.isTrusted(url),
    allowsOrigin: (origin) => allowsOrigin(settings().file.server.cors, origin),
    bodyLimitBytes: () => settings().file.server.body_limit,
  }) satisfies Partial<Capabilities>

/** Checks of written objects against the configuration. */
const checksOf = ({ settings, settingsOf }: CapabilityOptions) =>
  ({
    checkConfig: async (config, workspaceId) => checkConfig(await settingsOf(workspaceId), config),
    // Compiled as an inline hook to find its errors.
    checkGuardrail: async (guardrail, workspaceId) => {
      const context = written(await settingsOf(workspaceId))
      return compileTogether(() => faultsInEitherPhase(guardrail as Guardrail, context))
    },
    checkCredential: (provider, credential) => checkCredential(settings().context, provider, credential),
  }) satisfies Partial<Capabilities>

/** The models of providers, and their prices. */
function modelsOf(given: CapabilityOptions) {
  const { settings } = given
  const catalogue = createCatalogue(given)
  return {
    // Services pass documents of the kind `integration`.
    modelsOf: (integration) => catalogue.modelsOf(integration as IntegrationDraft),
    priceOf: (provider, model) =>
      listedPrice(settings().context.registry, { provider, model, nowMs: Date.now() }),
    tryCredential: (integration, model) => tryCredential(integration as IntegrationDraft, model, given),
    batchLinesOf: (provider) => settings().context.registry.providers.get(provider)?.batchLines ?? null,
  } satisfies Partial<Capabilities>
}

const storesOf = (ports: CapabilityOptions['ports']) => ({
  documents: ports.documents,
  counters: ports.counters,
  logEntries: ports.log,
  blobs: ports.blobs,
  vectors: ports.vectors,
  kv: ports.kv,
  shared: ports.shared,
  work: ports.work,
})

function embeddingModel({ semanticCache }: Settings): ReturnType<Capabilities['embeddingModel']> {
  if (semanticCache === null) return null
  const { provider, model, dimensions } = semanticCache
  return { provider, model, dimensions }
}

function summariseProviders({ providers }: Registry): ProviderSummary[] {
  return [...providers.values()].map((adapter) => ({
    name: adapter.name,
    title: adapter.title,
    credential: adapter.credential,
    configurations: adapter.configurations ?? null,
    choosesByModel: Object.values(adapter.endpoints).some(({ kind }) => kind === 'choice'),
    endpoints: Object.keys(adapter.endpoints) as ProviderSummary['endpoints'],
  }))
}

const compileValidator: Capabilities['validator'] = (schema, code, prefix = '') => {
  const validate = createValidator(schema)
  return (value) => {
    const errors = validate(value)
    return errors === null ? [] : toFaults(errors, code, prefix)
  }
}

const hookNames = { before: 'beforeRequestHook', after: 'afterRequestHook' } as const

function summariseChecks({ checks, packages }: Registry): CheckSummary[] {
  return [...checks].map(([id, { plugin, check }]) => ({
    id,
    name: check.title,
    description: check.description,
    type: check.kind,
    hooks: check.phases.map((phase) => hookNames[phase]),
    parameters: schemaAsJson(check.parameters),
    default_deny: check.deny === true,
    credentials: plugin.settings === undefined ? null : schemaAsJson(plugin.settings),
    source: {
      plugin: plugin.name,
      version: packages.find(({ provides }) => provides.includes(id))?.version ?? '0.0.0',
    },
  }))
}

/** Saved URLs are checked by the host guard when they are written. */
const written = ({ context }: Settings) => ({ ...context, writtenUrls: context.checkUrl })

/** A saved config's errors. Its schema is checked first, because references are looked up only in a valid config. */
function checkConfig(settings: Settings, config: JsonObject): Fault[] {
  const errors = settings.validateConfig(config)
  if (errors !== null) return toFaults(errors, 'invalid_config', '/config')
  const faults: Fault[] = []
  // The schema is the source of the type, and the config has just passed it.
  const context = { ...written(settings), isSaved: true }
  compileTogether(() => compileConfig(config as Config, context, { param: '/config', faults }))
  return faults
}
