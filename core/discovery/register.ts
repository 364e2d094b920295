/** Adds a package's exports to the registry after checking their shape: unique names, required members. */
import {
  type Check,
  endpointIds,
  type GuardrailPlugin,
  isObject,
  type ProviderAdapter,
  type SecretManager,
  type SecretManagerPlugin,
  type ServicePlugin,
  type StoreAdapter,
} from '@gateway/contract'
import type { DialectPlugin } from '@gateway/contract/dialect'
import type { CustomProviderFactory, DisabledPlugin, PackageInfo } from '@gateway/flow'
import { faultOfSchema } from '@gateway/validation'
import type { DiscoveryFault } from './registry.ts'

export interface FoundPackage {
  info: PackageInfo
  /** The name in `plugins.packages`; null for a package that no config file names. */
  named: string | null
  module: Readonly<Record<string, unknown>>
}

/** The registry under construction. */
export interface Parts {
  packages: PackageInfo[]
  providers: Map<string, ProviderAdapter>
  checks: Map<string, { plugin: GuardrailPlugin; check: Check }>
  stores: Map<string, StoreAdapter>
  dialects: DialectPlugin[]
  services: ServicePlugin[]
  secretManagers: Map<string, SecretManager>
  customProvider: CustomProviderFactory | null
  names: Set<string>
  disabledPlugins: DisabledPlugin[]
}

export function emptyParts(): Parts {
  return {
    packages: [],
    providers: new Map(),
    checks: new Map(),
    stores: new Map(),
    dialects: [],
    services: [],
    secretManagers: new Map(),
    customProvider: null,
    names: new Set(),
    disabledPlugins: [],
  }
}

export function registerPackage(
  found: FoundPackage,
  parts: Parts,
  { disabled, faults }: { disabled: readonly string[]; faults: DiscoveryFault[] },
): void {
  const { info, named, module } = found
  const provides: string[] = []
  const fault = (message: string) => {
    faults.push({ package: info.name, path: info.directory, named, message })
  }
  for (const exported of [module.default].flat()) {
    if (!isObject(exported) || typeof exported.name !== 'string') {
      fault('has a default export that is not a gateway part (an object with a name)')
      continue
    }
    parts.names.add(exported.name)
    if (disabled.includes(exported.name)) {
      if (info.kind === 'guardrail') {
        const title = typeof exported.title === 'string' ? exported.title : exported.name
        parts.disabledPlugins.push({ name: exported.name, title, version: info.version })
      }
      continue
    }
    // The shapes are checked member by member below; other members are not checked.
    provides.push(...register[info.kind](exported as never, parts, fault))
  }
  if (info.kind === 'provider' && typeof module.customProvider === 'function') {
    parts.customProvider = module.customProvider as CustomProviderFactory
  }
  parts.packages.push({ ...info, provides })
}

type Register<Part> = (part: Part, parts: Parts, fault: (message: string) => void) => string[]

const registerProvider: Register<ProviderAdapter> = (adapter, parts, fault) => {
  const known = isObject(adapter.endpoints) && typeof adapter.auth === 'function'
  if (!known || !['required', 'optional', 'none'].includes(adapter.credential)) {
    fault(`has the provider "${adapter.name}", which lacks endpoints, auth or credential`)
    return []
  }
  if (parts.providers.has(adapter.name)) {
    fault(`has the provider "${adapter.name}", which another package also has`)
    return []
  }
  parts.providers.set(adapter.name, adapter)
  return [adapter.name]
}

const registerGuardrail: Register<GuardrailPlugin> = (plugin, parts, fault) => {
  if (!Array.isArray(plugin.checks)) {
    fault(`has the plugin "${plugin.name}", which lists no checks`)
    return []
  }
  return plugin.checks.flatMap((check) => {
    const id = `${plugin.name}.${isObject(check) ? String(check.id) : 'unknown'}`
    const reason = parts.checks.has(id) ? 'which another package also has' : faultOfCheck(check)
    if (reason !== null) {
      fault(`has the check "${id}", ${reason}`)
      return []
    }
    parts.checks.set(id, { plugin, check })
    return [id]
  })
}

function faultOfCheck(check: Check): string | null {
  if (!isObject(check) || typeof check.id !== 'string' || typeof check.prepare !== 'function')
    return 'which lacks an id or prepare'
  if (check.kind !== 'guardrail' && check.kind !== 'mutator')
    return 'whose kind is neither guardrail nor mutator'
  const isPhases = Array.isArray(check.phases) && check.phases.length > 0
  if (!isPhases || check.phases.some((phase) => phase !== 'before' && phase !== 'after')) {
    return 'whose phases are not a list of before and after'
  }
  const reason = faultOfSchema(check.parameters)
  return reason === null ? null : `whose parameters are not a JSON Schema: ${reason}`
}

const registerStore: Register<StoreAdapter> = (store, parts, fault) => {
  if (!Array.isArray(store.schemes) || typeof store.open !== 'function') {
    fault(`has the store "${store.name}", which lacks schemes or open`)
    return []
  }
  return store.schemes.flatMap((scheme) => {
    if (parts.stores.has(scheme)) {
      fault(`has a store for ${scheme}, which another package also has`)
      return []
    }
    parts.stores.set(scheme, store)
    return [scheme]
  })
}

const registerDialect: Register<DialectPlugin> = (dialect, parts, fault) => {
  if (!Array.isArray(dialect.endpoints)) {
    fault(`has the dialect "${dialect.name}", which lists no endpoints`)
    return []
  }
  const taken = new Set(parts.dialects.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)))
  const ids = dialect.endpoints.flatMap((endpoint) => {
    const id = isObject(endpoint) ? String(endpoint.id) : 'unknown'
    const reason = taken.has(endpoint.id) ? 'which another package also has' : faultOfEndpoint(endpoint)
    if (reason === null) return [id]
    fault(`has the endpoint "${id}", ${reason}`)
    return []
  })
  if (ids.length === dialect.endpoints.length) parts.dialects.push(dialect)
  return ids
}

function faultOfEndpoint(endpoint: DialectPlugin['endpoints'][number]): string | null {
  if (!isObject(endpoint) || !endpointIds.some((id) => id === endpoint.id))
    return 'whose id is not one of the contract'
  const hasFormat = 'format' in endpoint ? isObject(endpoint.format) : isObject(endpoint.session)
  return hasFormat && Array.isArray(endpoint.routes) ? null : 'which lacks a format or routes'
}

const registerService: Register<ServicePlugin> = (service, parts, fault) => {
  if (typeof service.open !== 'function') {
    fault(`has the service "${service.name}", which lacks open`)
    return []
  }
  if (!Array.isArray(service.needs)) {
    fault(`has the service "${service.name}", which lacks needs, the capabilities that it uses`)
    return []
  }
  if (parts.services.some(({ name }) => name === service.name)) {
    fault(`has the service "${service.name}", which another package also has`)
    return []
  }
  parts.services.push(service)
  return [service.name]
}

const registerSecretManagers: Register<SecretManagerPlugin> = (plugin, parts, fault) => {
  if (!Array.isArray(plugin.managers)) {
    fault(`has the plugin "${plugin.name}", which lists no managers`)
    return []
  }
  return plugin.managers.flatMap((manager) => {
    if (parts.secretManagers.has(manager.type)) {
      fault(`has the secret manager "${manager.type}", which another package also has`)
      return []
    }
    parts.secretManagers.set(manager.type, manager)
    return [manager.type]
  })
}

const register = {
  provider: registerProvider,
  guardrail: registerGuardrail,
  store: registerStore,
  dialect: registerDialect,
  service: registerService,
  'secret-manager': registerSecretManagers,
}
