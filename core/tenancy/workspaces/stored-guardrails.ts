/** Saved guardrails as configs refer to them: by slug and by id. */

import type { Guardrail } from '../../domain/hooks.ts'
import type { DocumentOf, GuardrailData } from '../../domain/index.ts'

export function storedGuardrails(documents: readonly DocumentOf<'guardrail'>[]): Record<string, Guardrail> {
  const guardrails: Record<string, Guardrail> = Object.create(null)
  for (const document of documents) {
    const guardrail = guardrailOf(document)
    guardrails[document.id] = guardrail
    if (document.slug !== null) guardrails[document.slug] = guardrail
  }
  return guardrails
}

/** A guardrail with every check switched off checks nothing, and is left to say so where it is used. */
function guardrailOf({ data }: { data: GuardrailData }): Guardrail {
  const { checks, actions, fail_closed, type } = data
  return {
    type,
    deny: actions.deny,
    async: actions.async,
    fail_closed,
    ...(actions.on_fail === undefined ? {} : { on_fail: actions.on_fail }),
    ...(actions.on_success === undefined ? {} : { on_success: actions.on_success }),
    checks: checks.filter(({ is_enabled }) => is_enabled).map(({ id, parameters }) => ({ id, parameters })),
    // The document was checked against the schema when it was written.
  } as Guardrail
}
