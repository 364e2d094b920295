/** Completes a stored credential's target for a call: adds its headers, and values from secret managers. */
import { type Fault, faultsError } from '@gateway/contract'
import type { IntegrationModel } from '@gateway/domain'
import {
  andThen,
  type HostRules,
  type MaybePromise,
  type ResolvedTarget,
  type StoredProvider,
} from '@gateway/flow'
import { atModelHost } from './model-host.ts'
import { createTarget } from './target.ts'

interface FillTargetOptions {
  hosts: HostRules
  own?: IntegrationModel['configurations']
}

/**
 * Returns the same target if nothing needs to be added. Errors: those of secret values; `host_not_allowed`,
 * `no_provider` when the filled-in values form no valid address.
 * @param own host and headers of the called model
 */
export function fillTarget(
  target: ResolvedTarget,
  stored: StoredProvider,
  { hosts, own = null }: FillTargetOptions,
): MaybePromise<ResolvedTarget> {
  const { forwardHeaders, fill } = stored
  if (fill === null && own === null) {
    const { headers } = stored
    const adds = Object.keys(headers).length + forwardHeaders.length
    return adds === 0 ? target : { ...target, headers, forwardHeaders }
  }
  const filled =
    fill === null ? { settings: target.settings, headers: stored.headers } : fill(target.settings)
  return andThen(filled, (values) => rebuilt(target, stored, { hosts, values, own }))
}

interface Filling {
  values: Pick<ResolvedTarget, 'settings' | 'headers'>
  own: IntegrationModel['configurations']
}

/** The target with other settings and headers. */
function rebuilt(
  target: ResolvedTarget,
  { slug: name, forwardHeaders, isDeclared }: StoredProvider,
  { hosts, values, own }: Filling & { hosts: HostRules },
): ResolvedTarget {
  const { settings, headers } = atModelHost(target, values, { own, isDeclared })
  const faults: Fault[] = []
  const { adapter, slug, isStored } = target
  const built = createTarget({ adapter, settings, slug, isStored, param: `providers/${name}`, hosts }, faults)
  if (built === null) throw faultsError(faults)
  // Breaker lookups before completion must find the same target.
  const { identity } = target
  return {
    ...built,
    identity,
    headers,
    forwardHeaders,
  }
}
