/** Hosts that are set for single models of an integration: the credential must be allowed to be sent there. */

import type { Fault, JsonObject, StoredDocument } from '@gateway/contract'
import type { IntegrationData } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { openIntegration } from './data.ts'

/** The reason why the stored credential may not be sent to this host; null if it may. */
export function modelHostFault(
  call: Call<'checkCredential'>,
  document: StoredDocument<IntegrationData>,
  host: string,
): string | null {
  const { data } = document
  const { key, configurations } = openIntegration(document, call)
  return refusalOf(call, data, {
    givenSecrets: { key, configurations: { ...data.configurations, ...configurations } },
    host,
  })
}

export interface GivenSecrets {
  key: string | null
  /** The members, including encrypted ones. */
  configurations: JsonObject
}

/** The same for all models with their own host, for a credential that is about to be stored. */
export function modelHostFaults(
  call: Call<'checkCredential'>,
  data: IntegrationData,
  given: GivenSecrets,
): Fault[] {
  return (data.models ?? []).flatMap(({ slug, configurations }): Fault[] => {
    const host = configurations?.custom_host
    const reason = host === undefined ? null : refusalOf(call, data, { givenSecrets: given, host })
    if (reason === null) return []
    const message = `conflicts with the model "${slug}", whose custom_host ${reason}`
    return [{ param: '/configurations', code: 'host_not_allowed', message }]
  })
}

interface RefusalOptions {
  givenSecrets: GivenSecrets
  host: string
}

function refusalOf(
  { context }: Call<'checkCredential'>,
  { ai_provider_id, secret_mappings }: IntegrationData,
  { givenSecrets: { key, configurations }, host }: RefusalOptions,
): string | null {
  const faults = context.checkCredential(ai_provider_id, {
    ...(key === null ? {} : { key }),
    configurations: { ...configurations, custom_host: host },
    mapped: secret_mappings.map(({ target_field }) => target_field),
  })
  return faults.find(({ code }) => code === 'host_not_allowed')?.message ?? null
}
