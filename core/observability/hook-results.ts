/**
 * What the log keeps of hooks: their `hook_results` with verdicts and feedback, so that whoever reads a trace finds
 * them (contract, section 5); nothing of what a check found, for that may tell of a text.
 */

import type { Json, JsonObject, LogEntry } from '@gateway/contract'
import type { LateHook } from '../flow/deferred-work.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { CheckResult, Feedback, HookResult } from '../flow/hook-result.ts'

/** Results of both phases. */
export function hooksOf({ answer, beforeResults }: Pick<Exchange, 'answer' | 'beforeResults'>): {
  before: readonly HookResult[]
  after: readonly HookResult[]
} {
  return {
    before: answer === null || answer.beforeResults.length === 0 ? beforeResults : answer.beforeResults,
    after: answer === null ? none : join(answer.afterResults, answer.lateResults),
  }
}

const none: readonly HookResult[] = []

const join = (one: readonly HookResult[], other: readonly HookResult[]) =>
  other.length === 0 ? one : [...one, ...other]

/** Whether all guardrails passed; null where none ran. */
export function verdictOf({ before, after }: ReturnType<typeof hooksOf>): boolean | null {
  if (before.length + after.length === 0) return null
  return verdictOfAll([...before, ...after], null)
}

function verdictOfAll(results: readonly HookResult[], known: boolean | null): boolean | null {
  const guardrails = results.filter(({ type }) => type === 'guardrail')
  return guardrails.length === 0 ? known : known !== false && guardrails.every(({ verdict }) => verdict)
}

/** Of the entry of a request; null where no hook ran. */
export function keptHooks({ before, after }: ReturnType<typeof hooksOf>): JsonObject | null {
  if (before.length === 0 && after.length === 0) return null
  return { before_request_hooks: before.map(keptHook), after_request_hooks: after.map(keptHook) }
}

/** The entry with what async hooks found, which is known when the answer is long gone. */
export function withLateHooks(entry: LogEntry, late: readonly (LateHook | null)[]): LogEntry {
  // Written by {@link keptHooks}.
  const kept = (entry.data.hook_results ?? null) as KeptHooks | null
  const found = (wanted: LateHook['phase']) =>
    late.flatMap((hook) => (hook?.phase === wanted ? [keptHook(hook.result)] : []))
  const hook_results = {
    before_request_hooks: [...(kept?.before_request_hooks ?? []), ...found('before')],
    after_request_hooks: [...(kept?.after_request_hooks ?? []), ...found('after')],
  }
  const guardrail_verdict = verdictOfAll(
    late.flatMap((hook) => hook?.result ?? []),
    (entry.data.guardrail_verdict ?? null) as boolean | null,
  )
  return { ...entry, data: { ...entry.data, guardrail_verdict, hook_results } }
}

type KeptHooks = { before_request_hooks: JsonObject[]; after_request_hooks: JsonObject[] }

const maxIdChars = 200

const keptHook = (result: HookResult): JsonObject => ({
  id: result.id.slice(0, maxIdChars),
  verdict: result.verdict,
  deny: result.deny,
  async: result.async,
  type: result.type,
  execution_time: result.execution_time,
  transformed: result.transformed,
  feedback: result.feedback === null ? null : keptFeedback(result.feedback),
  checks: result.checks.map(keptCheck),
})

/** Whole, as the feedback of callers is. */
const keptFeedback = ({ value, weight, metadata }: Feedback): JsonObject => ({
  value: value ?? null,
  weight: weight ?? 1,
  // Written as JSON in a config.
  metadata: (metadata ?? {}) as Json,
})

const keptCheck = ({ id, verdict, error, execution_time, transformed }: CheckResult): JsonObject => ({
  id,
  verdict,
  error: error === null ? null : { name: error.name },
  execution_time,
  transformed,
})
