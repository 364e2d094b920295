/** The message of a denial: which guardrail denied, and the reason if its check reports one. */
import { isObject, type Phase } from '@gateway/contract'
import type { CheckResult, HookResult } from '@gateway/flow'

/** The maximum length of the reason; more would not help the reader. */
const longestExplanation = 300

/** @param results the results of the phase; the message names the first hook that denied */
export function denialMessage(phase: Phase, results: readonly HookResult[]): string {
  const subject = phase === 'before' ? 'request' : 'answer'
  const denied =
    results.find(({ deny, async, verdict }) => deny && !async && !verdict) ??
    results.find(({ deny, async }) => deny && !async)
  if (denied === undefined) return `A guardrail denied the ${subject}.`
  const check = denied.checks.find(({ verdict }) => verdict === denied.verdict) ?? denied.checks.at(-1)
  const name = `${denied.type === 'mutator' ? 'Mutator' : 'Guardrail'} ${JSON.stringify(denied.id)}`
  if (check === undefined) return `${name} denied the ${subject}.`
  const explanation = explanationOf(check)
  return `${name} denied the ${subject}${explanation === '' ? '' : `: ${explanation}`} (${check.id}).`
}

/** The reason that the check reports, as the end of a sentence; for a check without a verdict, its error. */
function explanationOf({ data, error, explanation }: CheckResult): string {
  if (error !== null) return `the check failed with ${asEnding(error.message)}`
  const own = isObject(data) ? [data.explanation, data.reason] : []
  const said = [...own, explanation].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof said === 'string' ? asEnding(said) : ''
}

/** The text begins in lower case, unless its first word is an abbreviation. */
function asEnding(text: string): string {
  const said = text.trim().replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, longestExplanation)
  return /^[A-Z][^A-Z]/.test(said) ? said.slice(0, 1).toLowerCase() + said.slice(1) : said
}
