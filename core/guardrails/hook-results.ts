/** `hook_results` as a caller gets them (contract section 5): beside the body or the error of an answer. */

import { asJson, type JsonObject } from '@gateway/contract'
import { type Answer, statusOf } from '../flow/answer.ts'
import type { HookResult } from '../flow/hook-result.ts'

/** The answer with its `hook_results` and the status that follows from them. */
export function withResults(answer: Answer): Answer {
  const { beforeResults, afterResults } = answer
  if (beforeResults.length === 0 && afterResults.length === 0) return answer
  const status = statusOf(answer)
  if (answer.body === null) return { ...answer, status }
  const hook_results = render(beforeResults, afterResults)
  return {
    ...answer,
    status,
    text: textWith(answer, hook_results),
    body: { ...answer.body, hook_results },
  }
}

/**
 * The text that came, with the results behind its last member. Null where the body is to be written anew: what was
 * checked goes out as it was read, for of a name that stands twice in the text others may read the other value.
 */
function textWith({ text, body, afterResults }: Answer, results: JsonObject): string | null {
  if (text === null || body === null || afterResults.length > 0) return null
  if ('hook_results' in body || Object.keys(body).length === 0) return null
  return `${text.slice(0, text.lastIndexOf('}'))},"hook_results":${JSON.stringify(results)}}`
}

/** As the contract writes it (section 5). */
export function render(before: readonly HookResult[], after: readonly HookResult[]): JsonObject {
  // Results are plain data; what a check put into `data` is written as JSON like the rest.
  return { before_request_hooks: before.map(asJson), after_request_hooks: after.map(asJson) }
}
