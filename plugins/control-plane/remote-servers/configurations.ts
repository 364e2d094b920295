/**
 * `configurations` of an integration: the values of `custom_headers` and the client's secret are stored encrypted.
 * Answers show their masks, and a mask that a caller sends back keeps the stored secret as long as the upstream stays
 * the same.
 */
import {
  type Capabilities,
  configuredHeaderFault,
  type Fault,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import { isMasked, mask, type RemoteIntegrationData } from '@gateway/domain'
import { openSecrets, sealTogether, type Write } from '../engine/index.ts'
import { readMappings } from '../integrations/index.ts'
import { isKeptElsewhere, mergeMembers, strayMasks } from '../shared/index.ts'
import type { Integration } from './data.ts'
import { forwardFaults } from './forwarded.ts'

type Configurations = Pick<Integration, 'kind' | 'id' | 'data'>

/** Decrypted configurations. */
export function openConfigurations(document: Configurations, sealer: Capabilities['sealer']): JsonObject {
  const { configurations } = openSecrets(document, sealer)
  return { ...document.data.configurations, ...(isObject(configurations) ? configurations : {}) }
}

/** Configurations as answers show them. */
export const shownConfigurations = ({
  configurations,
  masked_configurations,
}: RemoteIntegrationData): JsonObject => ({
  ...configurations,
  ...masked_configurations,
})

const maskOf = (value: Json | undefined): Json => (typeof value === 'string' ? mask(value) : (value ?? null))

/** Splits members with a secret from the others, and computes their masks. */
function split(merged: JsonObject): { open: JsonObject; secret: JsonObject; masked: JsonObject } {
  const parts: ReturnType<typeof split> = { open: {}, secret: {}, masked: {} }
  for (const [name, value] of Object.entries(merged)) {
    if (value === undefined) continue
    if (name === 'custom_headers' && isObject(value)) {
      parts.secret[name] = value
      parts.masked[name] = Object.fromEntries(
        Object.entries(value).map(([header, text]) => [header, maskOf(text)]),
      )
    } else if (name === 'oauth_metadata' && isObject(value) && typeof value.client_secret === 'string') {
      parts.secret[name] = value
      parts.masked[name] = { ...value, client_secret: maskOf(value.client_secret) }
    } else parts.open[name] = value
  }
  return parts
}

export interface ConfigurationRules {
  /** The name of the integration in messages. */
  title: string
  /** The schema of `configurations`. */
  schema: Parameters<typeof readMappings>[1]['provider']['configurations']
  /** Further rules of the protocol; errors at their paths. */
  check?(write: Write<RemoteIntegrationData>, merged: JsonObject, mapped: ReadonlySet<string>): void
}

/** Reads configurations from a body into the draft. */
export async function takeConfigurations(
  write: Write<RemoteIntegrationData, 'checkUrl'>,
  { title, schema, check }: ConfigurationRules,
): Promise<void> {
  const { before, body, call, draft } = write
  const { sealer } = call.context
  const stored = before === null ? {} : openConfigurations(before, sealer)
  const given = isObject(body.configurations) ? body.configurations : {}
  const merged = mergeMembers(stored, given)
  if (write.isGiven('secret_mappings')) {
    const faults: Parameters<typeof readMappings>[1]['faults'] = []
    draft.data.secret_mappings = await readMappings(body.secret_mappings ?? [], {
      call,
      provider: { name: title, configurations: schema ?? null },
      integration: draft,
      prefix: 'configurations',
      hasKey: false,
      faults,
    })
    for (const { param, message, code } of faults) write.fault(param, message, code)
  }
  for (const param of strayMasks(merged, '/configurations'))
    write.fault(param, 'is a masked value: send the secret itself')
  checkMoved(write, stored, { given, merged })
  for (const { param, message } of headerFaults(merged)) write.fault(param, message)
  checkUrls(write, merged)
  check?.(write, merged, new Set(draft.data.secret_mappings.map(({ target_field }) => target_field)))
  const { open, secret, masked } = split(merged)
  draft.data.configurations = open
  draft.data.masked_configurations = masked
  draft.data.sealed = sealTogether(
    Object.keys(secret).length === 0 ? {} : { configurations: secret },
    draft,
    sealer,
  )
}

/**
 * Members of `oauth_metadata` that determine who receives the client's secret: the issuer's metadata names its
 * endpoints.
 */
const secretTakers = ['issuer', 'token_endpoint', 'revocation_endpoint'] as const

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)

/**
 * Stored secrets go only to the address that they were stored for: a write that changes the address must send them
 * again.
 */
function checkMoved(
  { before, draft, fault }: Write<RemoteIntegrationData>,
  stored: JsonObject,
  { given, merged }: { given: JsonObject; merged: JsonObject },
): void {
  if (before === null) return
  const isMovedUpstream = originOf(before.data.url) !== originOf(draft.data.url)
  const headers = isObject(merged.custom_headers) ? merged.custom_headers : {}
  const sentHeaders = isObject(given.custom_headers) ? given.custom_headers : {}
  for (const name of isMovedUpstream ? Object.keys(headers) : []) {
    const sent = sentHeaders[name]
    if (sent === undefined || isMasked(sent)) fault(`/configurations/custom_headers/${name}`, isKeptElsewhere)
  }
  const metadata = isObject(merged.oauth_metadata) ? merged.oauth_metadata : {}
  const was = isObject(stored.oauth_metadata) ? stored.oauth_metadata : {}
  const isMovedToken = isMovedUpstream || secretTakers.some((name) => was[name] !== metadata[name])
  const sent = isObject(given.oauth_metadata) ? given.oauth_metadata.client_secret : undefined
  if (was.client_secret === undefined || metadata.client_secret === undefined || !isMovedToken) return
  if (sent === undefined || isMasked(sent))
    fault('/configurations/oauth_metadata/client_secret', isKeptElsewhere)
}

/** Errors of added or forwarded headers. */
export function headerFaults({ custom_headers, forward_headers }: JsonObject): Fault[] {
  const faults: Fault[] = []
  const fault = (param: string, message: string) =>
    faults.push({ param: `/configurations/${param}`, code: 'invalid_body', message })
  for (const [name, value] of Object.entries(isObject(custom_headers) ? custom_headers : {})) {
    const reason = configuredHeaderFault(name, value)
    if (reason !== null) fault(`custom_headers/${name}`, reason)
  }
  for (const { at, reason } of forwardFaults(forward_headers)) fault(`forward_headers${at}`, reason)
  return faults
}

/** Every URL goes through the host guard, starting with the integration's own. */
function checkUrls(
  { call, draft, isGiven, fault }: Write<RemoteIntegrationData, 'checkUrl'>,
  merged: JsonObject,
): void {
  const check = (param: string, url: Json | undefined) => {
    const reason = typeof url === 'string' ? call.context.checkUrl(url) : null
    if (reason !== null) fault(param, reason, 'host_not_allowed')
  }
  if (isGiven('url')) check('/url', draft.data.url)
  if (!isGiven('configurations')) return
  for (const [section, members] of Object.entries(urlMembers)) {
    const value = merged[section]
    if (!isObject(value)) continue
    for (const name of members) check(`/configurations/${section}/${name}`, value[name])
  }
}

const urlMembers: Readonly<Record<string, readonly string[]>> = {
  oauth_metadata: [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
  ],
  jwt_validation: ['jwksUri', 'introspectEndpoint'],
}
