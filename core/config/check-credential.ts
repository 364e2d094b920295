/**
 * Validates a credential before it is stored: the provider's requirements, forbidden hosts, forbidden headers. Paths
 * are those of the body: `/key`, `/configurations/NAME`.
 */

import {
  customHeaderFault,
  type Fault,
  isObject,
  type JsonObject,
  ownMember,
  type ProviderAdapter,
} from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import { type CompileContext, checkForwardedName, type HostRules } from '@gateway/flow'
import { createValidator, toFaults, type Validator } from '@gateway/validation'
import { type TSchema, Type } from '@sinclair/typebox'
import { addressMember, hostFaults } from './address-members.ts'
import {
  isHeaderMember,
  isSettingMember,
  mappedMember,
  mappedPlaceholder,
  settingsFrom,
} from './stored-credential.ts'
import { createTarget, hasSecret, needsHost } from './target.ts'

export interface GivenCredential {
  key?: string
  configurations: JsonObject
  /** Fields that a secret manager fills: `key`, `configurations.NAME`. */
  mapped: readonly string[]
}

const text = () => Type.Optional(Type.String({ minLength: 1, maxLength: 2048 }))

const commonMembers = createValidator(
  Type.Object({
    custom_host: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s?#]+$',
        maxLength: 2048,
        explain: 'must be an http or https URL',
      }),
    ),
    custom_headers: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.String({ maxLength: 8192 })),
    ),
    forward_headers: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 })),
    compat_organization: text(),
    compat_project: text(),
    resource_name: text(),
    deployment_id: text(),
    api_version: text(),
  }),
)

/** All errors; empty when the credential can be stored. */
export function checkCredential(
  context: Pick<CompileContext, 'registry' | 'checkUrl' | 'isTrusted' | 'headerPrefixes'>,
  provider: string,
  credential: GivenCredential,
): Fault[] {
  const adapter = context.registry.providers.get(provider)
  if (adapter === undefined) {
    const known = context.registry.providers.keys()
    const message = unknownName({ what: 'provider', written: provider, known })
    return [{ param: '/ai_provider_id', code: 'unknown_provider', message }]
  }
  const { configurations, mapped } = credential
  const found = [
    ...toFaults(commonMembers(configurations) ?? [], 'invalid_body', '/configurations'),
    ...ownFaults(adapter, configurations),
    ...missingFaults(adapter, credential),
    ...hostFaults(configurations, '/configurations', context.checkUrl),
    ...headerFaults(configurations, context.headerPrefixes),
  ]
  const isMapped = ({ param, message }: Fault) =>
    message.startsWith('is required') && mapped.some((field) => param === `/${field.replace('.', '/')}`)
  const seen = new Set<string>()
  const faults = found.filter((fault) => {
    const isNew = !seen.has(fault.param)
    seen.add(fault.param)
    return isNew && !isMapped(fault)
  })
  return faults.length > 0 ? faults : targetFaults(adapter, credential, context)
}

/** Errors of the combination: members from which no address can be built. */
function targetFaults(
  adapter: ProviderAdapter,
  { key, configurations, mapped }: GivenCredential,
  hosts: HostRules,
): Fault[] {
  const kept = mapped.flatMap((field) => {
    const member = mappedMember(field)
    return member === null ? [] : [[member, mappedPlaceholder] as const]
  })
  // An address kept by a secret manager is checked when it is used.
  if (kept.some(([member]) => addressMember.test(member))) return []
  const settings = settingsFrom(adapter.name, mapped.includes('key') ? mappedPlaceholder : (key ?? null), {
    ...Object.fromEntries(kept),
    ...configurations,
  })
  const faults: Fault[] = []
  const addresses = ['custom_host', ...Object.keys(configurations).filter((name) => addressMember.test(name))]
  const address = addresses.find((name) => configurations[name] !== undefined)
  const param = address === undefined ? '/key' : `/configurations/${address}`
  createTarget({ adapter, settings, slug: null, isStored: true, param, hosts }, faults)
  return faults.map((fault) =>
    fault.code === 'host_not_allowed' ? fault : { ...fault, code: 'invalid_body' },
  )
}

const invalid = (param: string, message: string): Fault => ({ param, code: 'invalid_body', message })

const validators = new WeakMap<ProviderAdapter, Validator>()

/** Validates against the adapter's own schema, which lacks the members common to all providers. */
function ownFaults(adapter: ProviderAdapter, configurations: JsonObject): Fault[] {
  const own = Object.entries(configurations).filter(
    ([name]) => !isSettingMember(name) && !isHeaderMember(name),
  )
  const { configurations: schema } = adapter
  if (schema === undefined) {
    return own.map(([name]) => invalid(`/configurations/${name}`, `is unknown to ${adapter.name}`))
  }
  // An adapter may require no members; required ones are checked below.
  if (own.length === 0 && adapter.stored === undefined) return []
  const validate = validators.get(adapter) ?? createValidator(schema)
  validators.set(adapter, validate)
  return [
    ...toFaults(validate(Object.fromEntries(own)) ?? [], 'invalid_body', '/configurations'),
    ...own.flatMap(([name, value]) => defaultFaults(schema, name, value)),
  ]
}

/** In a list whose entries have a default flag, exactly one must be the default. */
function defaultFaults(schema: TSchema, name: string, value: unknown): Fault[] {
  const members: unknown = schema.properties
  const list = isObject(members) ? ownMember(members, name) : undefined
  const items = isObject(list) ? list.items : undefined
  const hasDefault = isObject(items) && isObject(items.properties) && 'is_default' in items.properties
  if (!hasDefault || !Array.isArray(value) || value.length === 0) return []
  const defaults = value.filter((entry) => isObject(entry) && entry.is_default === true)
  if (defaults.length === 1) return []
  return [invalid(`/configurations/${name}`, 'must have exactly one entry with is_default')]
}

function missingFaults(adapter: ProviderAdapter, { key, configurations, mapped }: GivenCredential): Fault[] {
  const faults = (adapter.stored?.required ?? [])
    .filter((name) => configurations[name] === undefined)
    .map((name) => invalid(`/configurations/${name}`, 'is required'))
  const isThere = (name: string) =>
    configurations[name] !== undefined || mapped.includes(`configurations.${name}`)
  if (needsHost(adapter) && !isThere('custom_host')) {
    faults.push(invalid('/configurations/custom_host', 'is required'))
  }
  if (key === undefined && !mapped.includes('key') && needsKey(adapter, configurations, mapped)) {
    faults.push(invalid('/key', 'is required'))
  }
  return faults
}

function needsKey(adapter: ProviderAdapter, configurations: JsonObject, mapped: readonly string[]): boolean {
  if (adapter.credential !== 'required' || configurations.custom_host !== undefined) return false
  const { keyed } = adapter.stored ?? {}
  if (keyed !== undefined) return keyed.values.some((value) => value === configurations[keyed.member])
  // A provider that declares no credential members can authenticate only with the key.
  if (adapter.configurations === undefined) return true
  return (
    !mapped.some((field) => field !== 'key' && !isHeaderMember(mappedMember(field) ?? '')) &&
    !hasSecret(settingsFrom(adapter.name, null, configurations))
  )
}

function headerFaults({ custom_headers, forward_headers }: JsonObject, prefixes: readonly string[]): Fault[] {
  const custom = Object.entries(isObject(custom_headers) ? custom_headers : {}).flatMap(([name, value]) => {
    const param = `/configurations/custom_headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const reason = customHeaderFault(name, value, prefixes)
    return reason === null ? [] : [invalid(param, reason)]
  })
  const forwarded = (Array.isArray(forward_headers) ? forward_headers : []).flatMap((name, index) => {
    const reason = typeof name === 'string' ? checkForwardedName(name, prefixes) : null
    return reason === null ? [] : [invalid(`/configurations/forward_headers/${index}`, reason)]
  })
  return [...custom, ...forwarded]
}
