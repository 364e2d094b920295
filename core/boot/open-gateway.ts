/**
 * One gateway in one process: packages, settings, stores, breakers, application, listener. `gateway start` and
 * in-process tests use it.
 */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type ConfigFile,
  type Environment,
  peekPackages,
  settingsAtStart,
  toFileFaults,
} from '@gateway/config-file'
import { isGatewayError } from '@gateway/contract'
import { type Registry, sleep } from '@gateway/flow'
import { directoriesNamed, discover, type WatchedPackages, watchPackages } from '../discovery/index.ts'
import {
  type Certificate,
  type CertificateFiles,
  createTlsReload,
  readCertificate,
  type TlsReload,
} from '../server/index.ts'
import {
  describeDiscoveryFault,
  describeFaults,
  describeStoreError,
  describeStoreFaults,
} from './describe-faults.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { GatewayRuntime } from './gateway-runtime.ts'
import { type Listeners, listenAll } from './listeners.ts'
import { loadSettings, type SettingsOptions } from './load-settings.ts'
import { prepareStore } from './open-ports.ts'
import { openRuntime } from './open-runtime.ts'
import { type Flags, type Options, resolveOptions, storeUrlOf } from './options.ts'

/** Thrown when a gateway cannot start; lists every error found. */
export class StartError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

export type { GatewayOptions } from './gateway-options.ts'

export interface Gateway {
  url: string
  /** The URL of the admin listener; null when the main listener serves everything. */
  adminUrl: string | null
  runtime: GatewayRuntime
  options: Options
  /** Reads the config file again. Errors in it are reported, and the running configuration stays. */
  reload(): Promise<boolean>
  /**
   * Reports not ready, but answers requests until `server.drain_delay_ms` is over. Then stops accepting connections,
   * waits up to the grace period for requests in flight, and closes everything.
   */
  close(how?: CloseOptions): Promise<void>
}

interface CloseOptions {
  /** Whether connections are refused immediately. */
  skipsDelay?: boolean
}

export async function openGateway(given: GatewayOptions): Promise<Gateway> {
  const { configPath, environment, log } = given
  const settingsOptions: Omit<SettingsOptions, 'registry'> = {
    path: configPath,
    environment,
    ...(given.resolve === undefined ? {} : { resolve: given.resolve }),
  }
  // Serialized: the file that is read last must be the one in use.
  let reloading = Promise.resolve(true)
  const reread = (packages: readonly string[] = []) => {
    reloading = reloading.then(async () => {
      const isApplied = await reload(runtime, settingsOptions, {
        watched,
        startedWith: settings.file,
        usualLevel,
        packages,
      })
      await refreshTls(tls, configPath, runtime.current.settings.file)
      await runtime.services.configRead(isApplied).catch((error: unknown) => {
        log.warn({ err: error }, 'failed to record the config reload')
      })
      return isApplied
    })
    return reloading
  }
  const { registry, settings, locate, warnings, certificate } = await loadAll(
    settingsOptions,
    given.preparesStore === true,
  )
  for (const warning of describeFaults(configPath, warnings)) log.warn(warning)
  const options = chooseOptions(given.flags, environment, settings.file)
  const usualLevel = log.level
  log.level = options.logLevel ?? usualLevel
  const stores = describeStoreFaults(configPath, { settings, locate }, { options, registry })
  if (stores.length > 0) throw new StartError(stores)
  const runtime = await openRuntime(given, registry, { settings, options }).catch((error: unknown) => {
    throw isGatewayError(error) ? new StartError([describeStoreError(error, options)]) : error
  })
  const watched = watchPackages(
    (directories) => void reread(directories),
    (directory, error) =>
      log.warn({ directory, reason: error.message }, 'stopped watching a package: changes need a restart'),
  )
  watched.watch(await listWatched(configPath, environment))
  const tls = openTls(certificate, configPath, { file: settings.file, log })
  const listeners = await listenAll({ runtime, options, tls }).catch(async (error: unknown) => {
    watched.close()
    tls?.close()
    await closeRuntime(runtime)
    await runtime.createdAdminKey?.discard()
    throw error
  })
  if (runtime.createdAdminKey !== null) given.printKey(runtime.createdAdminKey.text)
  return {
    url: listeners.url,
    adminUrl: listeners.adminUrl,
    runtime,
    options,
    reload: () => reread(),
    close: async (how = {}) => {
      watched.close()
      tls?.close()
      const { drain_delay_ms: delayMs } = runtime.current.settings.file.server
      await close(runtime, listeners, how.skipsDelay === true ? 0 : (delayMs ?? platformDelayMs(environment)))
    },
  }
}

/**
 * Packages, settings and certificate. Any error in them prevents the start; all errors are reported together.
 * @param preparesStore whether the store starts its thread meanwhile
 */
export async function loadAll(options: Omit<SettingsOptions, 'registry'>, preparesStore = false) {
  const { registry, faults: refusals } = await findPackages(options, { preparesStore })
  const { settings, faults, warnings, locate } = await loadSettings({ ...options, registry })
  const files = settings === null ? null : certificateFiles(options.path, settings.file)
  const read = files === null ? null : await readCertificate(files)
  const refused = read?.faults ?? []
  if (settings !== null && refusals.length === 0 && refused.length === 0) {
    return {
      registry,
      settings,
      locate,
      warnings,
      certificate: read?.faults === null ? read.certificate : null,
    }
  }
  await settings?.upstream.close()
  settings?.outbound.close()
  const described = describeFaults(options.path, [...faults, ...toFileFaults(refused, locate)])
  throw new StartError([...refusals, ...described])
}

/** The absolute paths of the files in `server.tls`; null without TLS. */
export function certificateFiles(configPath: string, { server }: ConfigFile): CertificateFiles | null {
  const { tls } = server
  if (tls === null) return null
  const directory = dirname(configPath)
  return { cert: resolve(directory, tls.cert), key: resolve(directory, tls.key) }
}

function openTls(
  certificate: Certificate | null,
  configPath: string,
  { file, log }: { file: ConfigFile; log: GatewayOptions['log'] },
): TlsReload | null {
  const files = certificateFiles(configPath, file)
  if (certificate === null || files === null) return null
  if (file.public_url?.startsWith('http:') === true)
    log.warn(
      '`public_url` starts with http:, but the gateway serves TLS: links built from it will not work. Use https:',
    )
  return createTlsReload({ files, certificate, log })
}

/** A reload cannot switch TLS on or off. */
async function refreshTls(tls: TlsReload | null, configPath: string, file: ConfigFile): Promise<void> {
  const files = certificateFiles(configPath, file)
  if (files !== null) await tls?.refresh(files)
}

interface FindOptions {
  /** The number of code changes per directory. */
  generations?: ReadonlyMap<string, number>
  preparesStore?: boolean
}

/** All packages that could be loaded, and a log line for each one that could not. */
async function findPackages(
  { path, environment }: Pick<SettingsOptions, 'path' | 'environment'>,
  { generations = new Map(), preparesStore = false }: FindOptions = {},
): Promise<{ registry: Registry; faults: string[] }> {
  const named = await peekPackages(path, environment)
  const onStores = (stores: Registry['stores']) => {
    const { storeUrl, dataDir } = resolveOptions({}, environment, null).options
    prepareStore(storeUrlOf({ storeUrl: storeUrl ?? named.storeUrl, dataDir }), stores)
  }
  const { registry, faults } = await discover({
    ...named,
    directory: dirname(path),
    generations,
    ...(preparesStore ? { onStores } : {}),
  })
  return { registry, faults: faults.map((fault) => describeDiscoveryFault(fault, path, named.places)) }
}

/** The directories of packages that the config file names by a path. */
async function listWatched(configPath: string, environment: Environment): Promise<string[]> {
  const { packages } = await peekPackages(configPath, environment)
  return directoriesNamed(packages, dirname(configPath)).filter((directory) => existsSync(directory))
}

/** Process options from flags, environment and config file. */
export function chooseOptions(flags: Flags, environment: Environment, file: ConfigFile): Options {
  const { options, faults } = resolveOptions(flags, environment, file)
  if (faults.length > 0) throw new StartError(faults.map(({ source, message }) => `${source} ${message}`))
  return options
}

interface Reloaded {
  startedWith: ConfigFile
  /** The default log level. */
  usualLevel: string
  /** The directories whose code changed, for the log. */
  packages: readonly string[]
}

interface ReloadOptions extends Reloaded {
  watched: WatchedPackages
}

/** Reads the config file and the packages that it names by a path again; an invalid file changes nothing. */
async function reload(
  runtime: GatewayRuntime,
  options: Omit<SettingsOptions, 'registry'>,
  { watched, startedWith, usualLevel, packages }: ReloadOptions,
): Promise<boolean> {
  const { log, metrics } = runtime
  const refuse = (faults: readonly string[], message: string) => {
    metrics.reloads.inc({ outcome: 'refused' })
    log.error({ faults }, message)
    return false
  }
  const { registry, faults: refusals } = await findPackages(options, { generations: watched.generations })
  if (refusals.length > 0) return refuse(refusals, 'a package has errors; nothing was changed')
  const { settings, faults, warnings } = await loadSettings({ ...options, registry })
  if (settings === null) {
    return refuse(describeFaults(options.path, faults), 'the config file has errors; nothing was changed')
  }
  watched.watch(await listWatched(options.path, options.environment))
  for (const warning of describeFaults(options.path, warnings)) log.warn(warning)
  // Requests in flight keep the HTTP clients of the configuration they started with; idle connections time out.
  runtime.current.settings = settings
  metrics.reloads.inc({ outcome: 'applied' })
  const [now, then] = [settingsAtStart(settings.file), settingsAtStart(startedWith)]
  log.level = resolveOptions({}, options.environment, settings.file).options.logLevel ?? usualLevel
  const waiting = Object.keys(now).filter((name) => !isDeepStrictEqual(now[name], then[name]))
  if (waiting.length > 0) log.warn({ settings: waiting }, 'these settings take effect at the next start')
  const reloaded = registry.packages.filter(({ directory }) => packages.includes(directory))
  if (reloaded.length > 0) log.info({ packages: reloaded.map(({ name }) => name) }, 'packages reloaded')
  log.info('config file reloaded')
  return true
}

/** Kubernetes notifies its load balancers and the process at the same time that a pod stops. */
const platformDelayMs = ({ KUBERNETES_SERVICE_HOST: kubernetes }: Environment): number =>
  kubernetes === undefined ? 0 : 5000

async function close(runtime: GatewayRuntime, listeners: Listeners, delayMs: number): Promise<void> {
  const { shutdown_grace_ms: graceMs } = runtime.current.settings.file.server
  runtime.isDraining = true
  if (delayMs > 0) await sleep(delayMs, new AbortController().signal)
  runtime.isStopping = true
  runtime.services.stop()
  const closed = listeners.stop()
  const grace = new AbortController()
  await Promise.race([idle(runtime, grace.signal), sleep(graceMs, grace.signal)])
  // Requests that still wait for room are answered before their connections are cut.
  if (runtime.capacity.queue.stop() > 0)
    await Promise.race([idle(runtime, grace.signal), sleep(refusalMs, grace.signal)])
  grace.abort()
  listeners.cut()
  await closed
  await closeRuntime(runtime)
}

/** Time to send refusals. */
const refusalMs = 250

/** Closes everything that it opened; the stores last. */
async function closeRuntime(runtime: GatewayRuntime): Promise<void> {
  await runtime.sealing.stop()
  runtime.breakers.close()
  runtime.capacity.close()
  await runtime.current.settings.upstream.close()
  runtime.current.settings.outbound.close()
  await runtime.services.close()
  runtime.workspaces.close()
  await runtime.identities.close()
  await runtime.logs.close()
  await runtime.store.close()
}

/** Resolves when no request is in flight. */
async function idle(runtime: GatewayRuntime, signal: AbortSignal): Promise<void> {
  while (runtime.inFlight.count > 0 && !signal.aborted) await sleep(20, signal)
}
