/**
 * The credential of an integration on its way into the store: configurations in the words that are stored, merged with
 * what was sealed, checked against what the provider needs, secrets sealed again with their masks beside them.
 */

import { type Fault, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { IntegrationData } from '@gateway/core/domain'
import { mask, openSecrets, type Write } from '../engine/index.ts'
import { normaliseConfigurations } from './credential-input.ts'
import { mergeMembers, splitSecrets, strayMasks } from './credential-secrets.ts'
import { knownMembers, openIntegration, summaryOf } from './data.ts'
import { modelHostFaults } from './model-hosts.ts'
import { readMappings } from './secret-mappings.ts'

export interface CredentialInput {
  provider: string
  /** As sent; null when they were not. */
  configurations: JsonObject | null
  /** As sent; undefined when they were not. */
  mappings: Json | undefined
  /** How mappings name them. */
  prefix: 'configurations' | 'model_config'
  /** A key that is no field of the resource; undefined when it was not sent. */
  key?: string | null
  faults: Fault[]
}

/** Sets everything of the draft that the credential is stored in. */
export async function takeCredential(
  { before, draft, call }: Pick<Write<IntegrationData>, 'before' | 'draft' | 'call'>,
  { provider, configurations: given, mappings, prefix, key: ownKey, faults }: CredentialInput,
): Promise<void> {
  const summary = summaryOf(call, provider)
  if (summary === undefined) {
    const message = `There is no provider "${provider.slice(0, 100)}".`
    faults.push({ param: '/ai_provider_id', code: 'unknown_provider', message })
    return
  }
  const stored =
    before === null ? {} : { ...before.data.configurations, ...openIntegration(before, call).configurations }
  const normalised = normaliseConfigurations(given ?? {}, Object.keys(knownMembers(summary)))
  const configurations = mergeMembers(stored, normalised)
  const data = draft.data
  const secrets = openSecrets({ data }, call.context.sealer)
  if (typeof ownKey === 'string' && !ownKey.includes('****')) {
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
  const mapped = draft.data.secret_mappings.map(({ target_field }) => target_field)
  const key = typeof secrets.key === 'string' ? { key: secrets.key } : {}
  faults.push(
    ...strayMasks(configurations, '/configurations').map((param) => ({
      param,
      code: 'invalid_body' as const,
      message: 'is a mask, and no secret',
    })),
    ...call.context.checkCredential(provider, { ...key, configurations, mapped }),
    ...modelHostFaults(call, draft.data, { key: key.key ?? null, configurations }),
  )
  const { open, secret, masked } = splitSecrets(configurations)
  draft.data.configurations = open
  draft.data.masked_configurations = masked
  if (Object.keys(secret).length === 0) delete secrets.configurations
  else secrets.configurations = secret
  const isEmpty = Object.keys(secrets).length === 0
  draft.data.sealed = isEmpty ? null : call.context.sealer.seal(JSON.stringify(secrets))
}

/** The same faults for a body that names the fields otherwise. */
export function renamedFaults(faults: readonly Fault[], names: Readonly<Record<string, string>>): Fault[] {
  return faults.map((fault) => {
    const from = Object.keys(names).find((name) => fault.param === name || fault.param.startsWith(`${name}/`))
    return from === undefined ? fault : { ...fault, param: names[from] + fault.param.slice(from.length) }
  })
}

/** Whether a value is a non-empty object. */
export const hasMembers = (value: Json | undefined): value is JsonObject =>
  isObject(value) && Object.keys(value).length > 0
