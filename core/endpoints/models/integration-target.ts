/**
 * An integration's credential as a callable target, even without a provider for it. Errors: `no_provider`,
 * `host_not_allowed`, those of secret values.
 */

import {
  checkMappedHeaders,
  createTarget,
  credentialOf,
  headersOf,
  type OpenedCredential,
} from '@gateway/config'
import {
  type DocumentDraft,
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type Sealer,
} from '@gateway/contract'
import { type DataOf, recordOf } from '@gateway/domain'
import type { BufferBudget, ResolvedTarget, Workspace } from '@gateway/flow'
import type { SecretValues } from '../../tenancy/index.ts'

export interface StoredCredentials {
  settings(): Workspace
  sealer: Sealer
  secrets: SecretValues
  /** The memory budget for answers. */
  buffers(): BufferBudget
}

/** An integration, stored or not. */
export type IntegrationDraft = DocumentDraft<DataOf<'integration'>>

export async function integrationTarget(
  integration: IntegrationDraft,
  { settings, sealer, secrets }: StoredCredentials,
): Promise<ResolvedTarget> {
  const { context, storedTargets } = settings()
  const { data } = integration
  const declared = data.source === 'file' ? storedTargets.get(integration.slug ?? '') : undefined
  if (declared !== undefined) return declared
  const opened: unknown =
    data.sealed === null ? {} : JSON.parse(sealer.open(data.sealed, recordOf(integration)))
  const credential = (isObject(opened) ? opened : {}) as OpenedCredential
  const mapped = await secrets.mapped(data.secret_mappings, integration.workspace_id)
  checkMappedHeaders(mapped, context.headerPrefixes)
  const own = credentialOf(integration, credential, mapped)
  const adapter = context.registry.providers.get(own.provider)
  if (adapter === undefined) throw new GatewayError('unknown_provider', `Unknown provider "${own.provider}".`)
  const faults: Fault[] = []
  const target = createTarget(
    { adapter, settings: own, slug: null, isStored: true, param: '/configurations', hosts: context },
    faults,
  )
  if (target === null) throw faultsError(faults)
  return { ...target, ...headersOf(integration, credential, mapped) }
}
