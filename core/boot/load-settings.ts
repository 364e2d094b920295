/**
 * The running configuration: the config file, read, validated and compiled for requests. One immutable snapshot; a
 * reload creates another. All errors are found before the snapshot is swapped in.
 */
import { createHash } from 'node:crypto'
import {
  compileConfig,
  compileFileCredentials,
  compileMandatory,
  fileProviders,
  storedSettings,
} from '@gateway/config'
import {
  type Config,
  type ConfigFile,
  configValidator,
  createFileContext,
  type Environment,
  type FileFault,
  type FileResult,
  fileDocuments,
  fileId,
  readConfigFile,
  remoteServerSecrets,
  sortFaults,
  toFileFaults,
} from '@gateway/config-file'
import type { Fault, ProviderSettings } from '@gateway/contract'
import { type Guardrail, kinds, parseTrustedHost, unknownName } from '@gateway/domain'
import type {
  CompileContext,
  ConfigNode,
  KeyDefaults,
  Registry,
  SemanticCache,
  Settings,
} from '@gateway/flow'
import {
  createHostGuard,
  createOutbound,
  createUpstreamAgent,
  type HostGuard,
  type Outbound,
  type UpstreamAgent,
} from '@gateway/upstream'
import { LRUCache } from 'lru-cache'
import { keylessNames } from '../discovery/index.ts'
import { compileHooks, faultsInEitherPhase } from '../guardrails/index.ts'
import { fileLimits } from '../metering/index.ts'
import { clientAddress, isProxy } from '../server/index.ts'
import { createFileKeys, createKeyRing, findFileConfig, type KeyRing, noDefaults } from '../tenancy/index.ts'
import { checkPluginSettings, pluginSettingsOf } from './plugin-settings.ts'

/** Settings for requests, and those that only the running process needs. */
export interface LoadedSettings extends Settings {
  file: ConfigFile
  /** Keys of the config file. */
  keys: KeyRing
  guard: HostGuard
  upstream: UpstreamAgent
  outbound: Outbound
}

export interface SettingsOptions {
  path: string
  environment: Environment
  registry: Registry
  /** Resolves names to addresses: the system's resolver, unless a test passes its own. */
  resolve?: Parameters<typeof createHostGuard>[0]['resolve']
}

export interface SettingsResult {
  /** The settings; null if the file has errors. */
  settings: LoadedSettings | null
  faults: FileFault[]
  warnings: FileFault[]
  /** Locates errors that are found later. */
  locate: FileResult['locate']
}

const maxInlineConfigs = 1000
/** A compiled config takes many times the memory of its text. */
const maxInlineConfigChars = 4_000_000

/** Reads and compiles the config file. Never rejects because of the file's content: errors are returned. */
export async function loadSettings(options: SettingsOptions): Promise<SettingsResult> {
  const read = await readConfigFile(
    options.path,
    options.environment,
    createFileContext(options.registry.keyless),
  )
  const { file, warnings, locate } = read
  if (file === null) {
    return {
      settings: null,
      faults: sortFaults([...read.faults, ...checkValidSubset(read, options)]),
      warnings,
      locate,
    }
  }
  const faults: Fault[] = []
  const settings = compileFile(file, options, faults)
  if (settings === null || faults.length > 0) {
    void settings?.upstream.close()
    return { settings: null, faults: toFileFaults(faults, locate), warnings, locate }
  }
  return {
    settings,
    faults: [],
    warnings: [...warnings, ...toFileFaults(warningsOf(file, options.registry), locate)],
    locate,
  }
}

const warningsOf = (file: ConfigFile, registry: Registry): Fault[] => [
  ...semanticWarnings(file),
  ...workspaceWarnings(file),
  ...disabledWarnings(file, registry),
]

/** Errors of saved configs that use features that are not configured. */
function semanticWarnings({ cache, configs }: ConfigFile): Fault[] {
  if (cache.semantic !== null) return []
  const message = 'finds only exact matches: set cache.semantic to an embedding model'
  return Object.entries(configs).flatMap(([id, config]) =>
    pathsOfSemanticCaches(config, `/configs/${id}`).map((param) => ({
      param,
      code: 'invalid_config',
      message,
    })),
  )
}

/** A key of an undeclared workspace works, but that workspace cannot be managed. */
function workspaceWarnings({ api_keys: keys, workspaces }: ConfigFile): Fault[] {
  const known = [...new Set(['default', ...Object.keys(workspaces)])]
  return keys.flatMap(({ workspace: written }, index) =>
    known.includes(written)
      ? []
      : [
          {
            param: `/api_keys/${index}/workspace`,
            code: 'invalid_config',
            message: `${unknownName({ what: 'workspace', written, known })} Declare it under workspaces`,
          },
        ],
  )
}

/** Only a warning, because one file can serve installations with different packages. */
const disabledWarnings = ({ plugins }: ConfigFile, { names }: Registry): Fault[] =>
  plugins.disabled.flatMap((written, index) =>
    names.has(written)
      ? []
      : [
          {
            param: `/plugins/disabled/${index}`,
            code: 'invalid_config',
            message: unknownName({ what: 'package, plugin or provider', written, known: names }),
          },
        ],
  )

const pathsOfSemanticCaches = ({ cache, targets = [] }: Config, param: string): string[] => [
  ...(cache?.mode === 'semantic' ? [`${param}/cache/mode`] : []),
  ...targets.flatMap((target, index) => pathsOfSemanticCaches(target, `${param}/targets/${index}`)),
]

/** Further errors of a file that is already known to be invalid. */
function checkValidSubset({ sound, locate }: FileResult, options: SettingsOptions): FileFault[] {
  if (sound === null) return []
  const faults: Fault[] = []
  const settings = compileFile(sound.file, options, faults)
  void settings?.upstream.close()
  settings?.outbound.close()
  return toFileFaults(faults.filter(sound.isCertain), locate)
}

const loggedContents = ({ logs }: ConfigFile): Settings['logs'] => ({
  bodies: logs.bodies,
  maxBodyBytes: logs.max_body,
  keepsOriginal: logs.keep_original,
})

const streamWindow = ({ plugins }: ConfigFile): Settings['streamWindow'] => ({
  windowChars: plugins.stream_window_chars,
  overlapChars: plugins.stream_overlap_chars,
})

function compileFile(file: ConfigFile, options: SettingsOptions, faults: Fault[]): LoadedSettings | null {
  const guard = openGuard(file, options, faults)
  // The file has passed its rules.
  const proxies = file.server.trusted_proxies.map(parseTrustedHost)
  if (guard === null) return null
  const registry = withCustomProviders(file, options.registry, { guard, faults })
  const context = createContext(file, registry, guard)
  const storedTargets = compileFileCredentials(file, context, faults)
  checkPluginSettings(file, registry, faults)
  // Hosts in the file are checked by the host guard when the file is read.
  const saved = { ...context, writtenUrls: context.checkUrl }
  compileGuardrails(file, saved, faults)
  const configs = compileConfigs(file, saved, faults)
  for (const [id, config] of Object.entries(file.configs))
    checkShadows(config, { param: `/configs/${id}`, configs, faults })
  const keys = createFileKeys(file, saved, faults)
  const workspaces = workspaceDefaults(file, saved, faults)
  const mandatory = compileMandatory(file.plugins, { param: '/plugins', context: saved, faults })
  checkDefaultConfigs({ keys, workspaces }, configs, faults)
  checkServerUrls(file, guard, faults)
  const documents = fileDocuments(file, Date.now())
  return {
    file,
    documents,
    fileSecrets: remoteServerSecrets(file),
    limits: fileLimits(documents),
    logs: loggedContents(file),
    isTrustedProxy: (address) => isProxy(address, proxies),
    clientAddress: (remote, forwarded) => clientAddress(remote, forwarded, proxies),
    semanticCache: compileSemanticCache(file, saved, faults),
    streamWindow: streamWindow(file),
    keys: createKeyRing(keys),
    configs,
    findConfig: async (id) => findFileConfig(configs, id),
    listConfigs: async () => [...configs.values()].flatMap(({ saved }) => saved ?? []),
    dataPlane: null,
    noConfig: compileConfig({}, context, { param: 'config', faults }),
    inlineConfigs: createInlineConfigs(),
    validateConfig: configValidator(registry.keyless),
    context,
    mandatory,
    storedTargets,
    storedProviders: fileProviders(file),
    guard,
    upstream: createUpstreamAgent({ guard }),
    outbound: createOutbound(guard),
    defaultsOf: defaultsBy(keys, workspaces),
  }
}

function checkDefaultConfigs(
  {
    keys,
    workspaces,
  }: { keys: ReturnType<typeof createFileKeys>; workspaces: ReturnType<typeof workspaceDefaults> },
  configs: Settings['configs'],
  faults: Fault[],
): void {
  for (const key of keys)
    checkDefaultConfig(key.defaults.configId, { param: `/api_keys/${keys.indexOf(key)}`, configs, faults })
  for (const [slug, { configId }] of workspaces)
    checkDefaultConfig(configId, { param: `/workspaces/${slug}`, configs, faults })
}

/** Saved configs by their slugs. */
const compileConfigs = (file: ConfigFile, context: CompileContext, faults: Fault[]) =>
  new Map(
    Object.entries(file.configs).map(([id, config]) => [
      id,
      {
        ...compileConfig(config, { ...context, isSaved: true }, { param: `/configs/${id}`, faults }),
        saved: { slug: id, id: fileId(kinds.config, id), version: null },
      },
    ]),
  )

const createInlineConfigs = (): Settings['inlineConfigs'] =>
  new LRUCache({
    maxSize: maxInlineConfigChars,
    sizeCalculation: (_node, text) => Math.max(text.length, maxInlineConfigChars / maxInlineConfigs),
  })

/** The defaults of a caller, from its key and workspace. */
function defaultsBy(
  keys: ReturnType<typeof createFileKeys>,
  workspaces: ReturnType<typeof workspaceDefaults>,
): Settings['defaultsOf'] {
  const byIdentity = new Map(keys.map(({ identity, defaults }) => [identity, defaults]))
  return ({ identity }) => ({
    keyDefaults: byIdentity.get(identity) ?? noDefaults,
    workspaceDefaults: workspaces.get(identity.workspace) ?? noDefaults,
  })
}

function compileSemanticCache(
  file: ConfigFile,
  context: CompileContext,
  faults: Fault[],
): SemanticCache | null {
  const { semantic } = file.cache
  if (semantic === null) return null
  const { provider, model, dimensions = null, threshold, agreement, max_entries, timeout_ms } = semantic
  const param = '/cache/semantic/provider'
  const slug = provider.replace(/^@/, '')
  if (!Object.hasOwn(file.providers, slug)) {
    const message = unknownName({ what: 'provider', written: slug, known: Object.keys(file.providers) })
    faults.push({ param, code: 'unknown_virtual_key', message })
    return null
  }
  // Its errors have already been reported at its declaration.
  const node = compileConfig({ provider: `@${slug}` }, { ...context, isSaved: true }, { param, faults: [] })
  const bounds = { threshold, agreement, maxEntries: max_entries, timeoutMs: timeout_ms }
  return { provider: slug, model, dimensions, ...bounds, node }
}

function checkServerUrls(file: ConfigFile, guard: HostGuard, faults: Fault[]): void {
  for (const section of ['mcp_servers', 'agent_servers'] as const) {
    for (const [slug, { url }] of Object.entries(file[section])) {
      const message = guard.checkUrl(url)
      if (message !== null)
        faults.push({ param: `/${section}/${slug}/url`, code: 'host_not_allowed', message })
    }
  }
}

function openGuard(file: ConfigFile, options: SettingsOptions, faults: Fault[]): HostGuard | null {
  const { resolve } = options
  try {
    return createHostGuard({ trustedHosts: file.security.trusted_hosts, ...(resolve ? { resolve } : {}) })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    faults.push({ param: '/security/trusted_hosts', code: 'invalid_config', message })
    return null
  }
}

function createContext(file: ConfigFile, registry: Registry, guard: HostGuard): CompileContext {
  const credentials = new Map(
    Object.entries(file.providers).map(([slug, stored]): [string, ProviderSettings] => [
      slug,
      storedSettings(stored),
    ]),
  )
  const { guardrails, plugins, custom_providers } = file
  const referred = JSON.stringify([guardrails, plugins.settings, custom_providers, [...credentials]])
  return {
    registry,
    credentials,
    guardrails: file.guardrails as Record<string, Guardrail>,
    pluginSettings: pluginSettingsOf(file, registry),
    failClosed: file.plugins.fail_closed,
    compileHooks,
    headerPrefixes: file.server.header_prefixes,
    checkUrl: (url) => guard.checkUrl(url),
    isTrusted: (url) => guard.isTrusted(url),
    isSaved: false,
    version: createHash('sha256').update(referred).digest('base64url'),
  }
}

/** The registry with the rows of `custom_providers`. */
function withCustomProviders(
  file: ConfigFile,
  registry: Registry,
  { guard, faults }: { guard: HostGuard; faults: Fault[] },
): Registry {
  const rows = Object.entries(file.custom_providers)
  if (rows.length === 0) return registry
  const providers = new Map(registry.providers)
  for (const [name, row] of rows) {
    const param = `/custom_providers/${name}`
    const reason = guard.checkUrl(row.base_url)
    if (reason !== null) {
      faults.push({ param: `${param}/base_url`, code: 'host_not_allowed', message: reason })
    }
    if (providers.has(name))
      faults.push({ param, code: 'conflict', message: `a provider "${name}" already exists` })
    if (registry.customProvider === null) {
      faults.push({
        param,
        code: 'unknown_provider',
        message: 'no installed package supports custom providers',
      })
      continue
    }
    providers.set(name, registry.customProvider({ name, ...row }))
  }
  return { ...registry, providers, keyless: keylessNames(providers.values()) }
}

/** Saved guardrails are validated on their own, in each phase that all of their checks support. */
function compileGuardrails(file: ConfigFile, context: CompileContext, faults: Fault[]): void {
  for (const id of Object.keys(file.guardrails)) {
    const found = faultsInEitherPhase(id, context)
    faults.push(...found.map((fault) => ({ ...fault, param: `/guardrails/${id}${fault.param}` })))
  }
}

function workspaceDefaults(
  file: ConfigFile,
  context: CompileContext,
  faults: Fault[],
): Map<string, KeyDefaults> {
  const defaults = new Map<string, KeyDefaults>()
  for (const [slug, { defaults: declared }] of Object.entries(file.workspaces)) {
    if (declared === undefined) continue
    defaults.set(slug, {
      configId: declared.config_id ?? null,
      metadata: declared.metadata ?? {},
      allowConfigOverride: declared.allow_config_override ?? true,
      mandatory: compileMandatory(declared, { param: `/workspaces/${slug}/defaults`, context, faults }),
    })
  }
  return defaults
}

/** Where configs are named, and those that exist. */
interface ConfigReferences {
  param: string
  configs: ReadonlyMap<string, ConfigNode>
  faults: Fault[]
}

function checkDefaultConfig(id: string | null, { param, configs, faults }: ConfigReferences): void {
  if (id === null || configs.has(id)) return
  const message = unknownName({ what: 'config', written: id, known: configs.keys() })
  faults.push({ param: `${param}/defaults/config_id`, code: 'unknown_config', message })
}

/** Compiling does not look up the configs of shadows: requests use the newest version. */
function checkShadows({ shadow, targets = [] }: Config, { param, configs, faults }: ConfigReferences): void {
  const other = shadow?.config
  const at = `${param}/shadow/config`
  if (typeof other === 'object') checkShadows(other, { param: at, configs, faults })
  else if (other !== undefined) {
    const written = other.replace(/^#/, '')
    if (findFileConfig(configs, written) === null) {
      const message = unknownName({ what: 'saved config', written, known: configs.keys() })
      faults.push({ param: at, code: 'unknown_config', message })
    }
  }
  for (const [index, target] of targets.entries())
    checkShadows(target, { param: `${param}/targets/${index}`, configs, faults })
}
