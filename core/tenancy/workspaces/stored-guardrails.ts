/** Saved guardrails by slug and by id, as configs refer to them. */

import { isGatewayError, type Sealer } from '@gateway/contract'
import { type DocumentOf, disabledGuardrail, type Guardrail, openContent, recordOf } from '@gateway/domain'

export interface GuardrailsOptions {
  sealer: Sealer
  /** Called for a guardrail whose secrets cannot be read: it is left out, and references to it are refused. */
  report(slug: string, reason: string): void
}

export function storedGuardrails(
  documents: readonly DocumentOf<'guardrail'>[],
  { sealer, report }: GuardrailsOptions,
): Record<string, Guardrail> {
  const guardrails: Record<string, Guardrail> = Object.create(null)
  for (const document of documents) {
    let guardrail: Guardrail
    try {
      guardrail = guardrailOf(document, sealer)
    } catch (error) {
      if (!isGatewayError(error)) throw error
      report(document.slug ?? document.id, error.message)
      continue
    }
    guardrails[document.id] = guardrail
    if (document.slug !== null) guardrails[document.slug] = guardrail
  }
  return guardrails
}

function guardrailOf(document: DocumentOf<'guardrail'>, sealer: Sealer): Guardrail {
  const { checks: stored, actions, fail_closed, type } = document.data
  if (!stored.some(({ is_enabled }) => is_enabled)) return disabledGuardrail
  const checks = openContent(stored, sealer, recordOf(document))
  return {
    type,
    deny: actions.deny,
    async: actions.async,
    fail_closed,
    ...(actions.on_fail === undefined ? {} : { on_fail: actions.on_fail }),
    ...(actions.on_success === undefined ? {} : { on_success: actions.on_success }),
    checks: checks.filter(({ is_enabled }) => is_enabled).map(({ id, parameters }) => ({ id, parameters })),
    // The document was validated against the schema when it was written.
  } as Guardrail
}
