/** The request data that policies compare. */

import type { JsonObject } from '@gateway/contract'
import { type Exchange, type PolicySubject, type ResolvedTarget, required } from '../../flow/index.ts'

/** @param chosen the target to attempt, and the body for it; null before one is selected */
export function policySubjectOf(
  exchange: Pick<Exchange, 'identity' | 'settings' | 'options' | 'savedConfig' | 'prompt' | 'endpoint'>,
  chosen: { target: ResolvedTarget; body: JsonObject } | null,
): PolicySubject {
  const identity = required(exchange.identity, 'identity')
  return {
    keyId: identity.keyId,
    organisationId: identity.organisationId,
    organisationSlug: exchange.settings.limits.organisationSlug,
    workspaceId: identity.workspaceId,
    workspaceSlug: identity.workspace,
    metadata: required(exchange.options, 'options').metadata,
    config: exchange.savedConfig,
    prompt: exchange.prompt,
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
