/** The request data that policies compare. */

import type { JsonObject } from '@gateway/contract'
import type { PolicySubject, Resolved, ResolvedTarget } from '@gateway/flow'

/**
 * Calls of services have neither endpoint nor config, and neither has a request whose endpoint and config are not yet
 * known.
 */
export type PolicyRequest = Pick<Resolved, 'caller' | 'workspace' | 'options'> &
  Partial<Pick<Resolved, 'config' | 'input' | 'endpoint'>>

/** @param chosen the target to attempt, and the body for it; null before one is selected */
export function policySubjectOf(
  exchange: PolicyRequest,
  chosen: { target: ResolvedTarget; body: JsonObject } | null,
): PolicySubject {
  const { identity } = exchange.caller
  return {
    keyId: identity.keyId,
    organisationId: identity.organisationId,
    organisationSlug: exchange.workspace.limits.organisationSlug,
    workspaceId: identity.workspaceId,
    workspaceSlug: identity.workspace,
    metadata: exchange.options.metadata,
    config: exchange.config?.saved ?? null,
    prompt: exchange.input?.prompt ?? null,
    endpoint: exchange.endpoint?.id ?? null,
    target:
      chosen === null
        ? null
        : {
            slug: chosen.target.slug,
            provider: chosen.target.adapter.name,
            model: typeof chosen.body.model === 'string' ? chosen.body.model : null,
          },
    tool: null,
  }
}
