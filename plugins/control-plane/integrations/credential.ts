/**
 * Prepares the credential of an integration for the store: converts the configurations to the stored names, merges them
 * with the stored ones, checks them against the provider's requirements, and encrypts the secrets next to their masks.
 */

import type { Fault, Json, JsonObject, StoredDocument } from '@gateway/contract'
import {
  type IntegrationData,
  isAddressName,
  isMasked,
  mask,
  splitSecrets,
  unknownName,
} from '@gateway/domain'
import { openSecrets, sealTogether, type Write } from '../engine/index.ts'
import {
  isKeptElsewhere,
  isMoved,
  keptSecrets,
  type MemberWrite,
  mergeMembers,
  strayMasks,
} from '../shared/index.ts'
import { normaliseConfigurations } from './credential-input.ts'
import { knownMembers, openIntegration, summaryOf } from './data.ts'
import { modelHostFaults } from './model-hosts.ts'
import { readMappings } from './secret-mappings.ts'

export interface CredentialInput {
  provider: string
  /** The value as sent; null if it was not sent. */
  configurations: JsonObject | null
  /** The value as sent; undefined if it was not sent. */
  mappings: Json | undefined
  /** The prefix of field names in mappings. */
  prefix: 'configurations' | 'model_config'
  /** A key that is not a field of the resource; undefined if it was not sent. */
  key?: string | null
  /** Whether the body sets the key field to a new value, not to a mask. */
  hasNewKey?: boolean
  faults: Fault[]
}

/** Sets all members of the draft that store the credential. */
export async function takeCredential(
  {
    before,
    draft,
    call,
  }: Pick<Write<IntegrationData, 'checkCredential' | 'providers'>, 'before' | 'draft' | 'call'>,
  { provider, configurations: given, mappings, prefix, key: ownKey, hasNewKey, faults }: CredentialInput,
): Promise<void> {
  const summary = summaryOf(call, provider)
  if (summary === undefined) {
    const known = call.context.providers().map(({ name }) => name)
    const message = unknownName({ what: 'provider', written: provider, known })
    faults.push({ param: '/ai_provider_id', code: 'unknown_provider', message })
    return
  }
  const stored =
    before === null ? {} : { ...before.data.configurations, ...openIntegration(before, call).configurations }
  const normalised = normaliseConfigurations(given ?? {}, Object.keys(knownMembers(summary)))
  const configurations = mergeMembers(stored, normalised)
  const { data } = draft
  const secrets = openSecrets(draft, call.context.sealer)
  const isNewKey = typeof ownKey === 'string' && !isMasked(ownKey)
  if (isNewKey) {
    secrets.key = ownKey
    data.masked_key = mask(ownKey)
  }
  if (mappings !== undefined) {
    const integration = { ...draft, version: 0 }
    draft.data.secret_mappings = await readMappings(mappings, {
      call,
      provider: summary,
      integration,
      prefix,
      faults,
    })
  }
  if (before !== null) {
    const write = { stored, given: normalised, merged: configurations, param: '/configurations' }
    const hasStoredKey = typeof secrets.key === 'string' && hasNewKey !== true && !isNewKey
    faults.push(...movedFaults({ ...write, before, data: draft.data, hasStoredKey }))
  }
  const mapped = draft.data.secret_mappings.map(({ target_field }) => target_field)
  const key = typeof secrets.key === 'string' ? { key: secrets.key } : {}
  faults.push(
    ...strayMasks(configurations, '/configurations').map((param) => ({
      param,
      code: 'invalid_body' as const,
      message: 'is a masked value: send the secret itself',
    })),
    ...call.context.checkCredential(provider, { ...key, configurations, mapped }),
    ...modelHostFaults(call, draft.data, { key: key.key ?? null, configurations }),
  )
  const { open, secret, masked } = splitSecrets(configurations)
  draft.data.configurations = open
  draft.data.masked_configurations = masked
  if (Object.keys(secret).length === 0) delete secrets.configurations
  else secrets.configurations = secret
  draft.data.sealed = sealTogether(secrets, draft, call.context.sealer)
}

interface Moving extends MemberWrite {
  before: Pick<StoredDocument<IntegrationData>, 'data'>
  data: IntegrationData
  /** Whether a stored key remains that this write does not send. */
  hasStoredKey: boolean
}

/**
 * Stored secrets go only to the address that they were stored for: a write that changes the address must send them
 * again.
 */
function movedFaults({ before, data, hasStoredKey, ...write }: Moving): Fault[] {
  if (!isMoved(write) && addressMappings(before.data) === addressMappings(data)) return []
  const kept = [...(hasStoredKey ? ['/key'] : []), ...keptSecrets(write)]
  const faults = kept.map((param): Fault => ({ param, code: 'invalid_body', message: isKeptElsewhere }))
  const withHeaders = data.models.find(
    ({ configurations: own }) => own?.custom_host === undefined && own?.custom_headers !== undefined,
  )
  if (withHeaders === undefined) return faults
  const message = `the model "${withHeaders.slug}" has its own headers, which would be sent to another host. Remove them first`
  return [...faults, { param: '/configurations', code: 'invalid_body', message }]
}

/** Mappings of addresses that a secret manager stores. */
const addressMappings = ({ secret_mappings }: IntegrationData): string =>
  JSON.stringify(secret_mappings.filter(({ target_field }) => isAddressName(target_field)))

/** The same errors for a body with other field names. */
export function renamedFaults(faults: readonly Fault[], names: Readonly<Record<string, string>>): Fault[] {
  return faults.map((fault) => {
    const from = Object.keys(names).find((name) => fault.param === name || fault.param.startsWith(`${name}/`))
    return from === undefined ? fault : { ...fault, param: names[from] + fault.param.slice(from.length) }
  })
}
