/**
 * The call that both checks of Prompt Security make. All texts are sent as one. If the policies rewrite it
 * and it was joined from several texts, each is sent again separately to get its own rewritten text.
 * The vendor's reference requires a login. The request and the answer are those of public integrations:
 * https://docs.nvidia.com/nemo/guardrails (prompt_security), https://docs.webrix.ai/docs/guardrails/prompt-security Not
 * confirmed: the complete list of actions; unknown ones are errors.
 * Errors: Error for a status that is not 2xx, and for an answer that has no action for the texts.
 */
import { type CheckIo, isObject, type JsonObject, type PreparedCheck, type TextPart } from '@gateway/contract'
import { type Change, isStreaming, post, replaceTexts, textsOf } from '@gateway/plugin-kit'
import { type Access, accessOf } from './access.ts'
import type { Parameters } from './parameters.ts'

export type Subject = 'prompt' | 'response'

interface Judgement {
  action: 'pass' | 'block' | 'modify'
  violations: string[]
  /** The text as rewritten by the policies; null if they did not change it. */
  modified: string | null
}

/** More texts than this are not rewritten one by one. */
const maxTexts = 20

/** Prepares a check; throws Error if the domain or the key is missing. */
export function prepareProtection(
  subject: Subject,
  { timeout, scope, ...own }: Parameters,
  settings: Readonly<JsonObject>,
): PreparedCheck {
  const access = accessOf(own, settings)
  return {
    // The vendor's policy, which is not known here, determines whether it rewrites.
    transforms: true,
    async run(input, io) {
      const ask = (text: string) => protect(subject, text, { access, timeoutMs: timeout, io })
      const parts = textsOf(input, scope)
      const text = parts.map((part) => part.text).join('\n')
      if (text === '') return { verdict: true, data: { skipped: 'no text' } }
      const judgement = await ask(text)
      const data = { action: judgement.action, violations: judgement.violations }
      if (judgement.action !== 'modify') return { verdict: judgement.action === 'pass', data }
      if (isStreaming(input) || parts.length > maxTexts) return { verdict: false, data }
      const changes = await rewrite(parts, judgement, ask)
      return changes === null ? { verdict: false, data } : replaceTexts(changes, data)
    },
  }
}

interface ProtectOptions {
  access: Access
  timeoutMs: number
  io: CheckIo
}

async function protect(
  subject: Subject,
  text: string,
  { access: { url, key }, timeoutMs, io }: ProtectOptions,
): Promise<Judgement> {
  const headers = { 'app-id': key }
  const answer = await post(io, 'Prompt Security', { url, headers, json: { [subject]: text }, timeoutMs })
  return judgementOf(answer, subject)
}

const passing: readonly unknown[] = ['pass', 'allow', 'log']

function judgementOf(json: unknown, subject: Subject): Judgement {
  const result = isObject(json) && isObject(json.result) ? json.result : {}
  const judged = isObject(result[subject]) ? result[subject] : {}
  const { action, passed, violations, modified_text } = judged
  const isPassed = passing.includes(action) || ((action ?? null) === null && passed === true)
  if (!isPassed && action !== 'block' && action !== 'modify')
    throw new Error(`the answer of Prompt Security has no action for the ${subject}`)
  return {
    action: isPassed ? 'pass' : action === 'block' ? 'block' : 'modify',
    violations: (Array.isArray(violations) ? violations : []).filter((name) => typeof name === 'string'),
    modified: typeof modified_text === 'string' ? modified_text : null,
  }
}

/** The texts that the policies rewrite; null if a text is blocked, or must change but has no new text. */
async function rewrite(
  parts: readonly TextPart[],
  whole: Judgement,
  ask: (text: string) => Promise<Judgement>,
): Promise<Change[] | null> {
  const [only] = parts
  const judged =
    parts.length === 1 && only !== undefined
      ? [{ ...only, ...whole }]
      : await Promise.all(parts.map(async (part) => ({ ...part, ...(await ask(part.text)) })))
  if (judged.some(({ action, modified }) => action === 'block' || (action === 'modify' && modified === null)))
    return null
  return judged.flatMap(({ path, text: before, action, modified: after }) =>
    action === 'modify' && after !== null && after !== before ? [{ path, before, after }] : [],
  )
}
