/**
 * Runs the hooks of one phase: mutators first, in order, each seeing the last one's text; then guardrails, side by
 * side. Async hooks are started and not waited for: they never delay or change the answer.
 */
import type { CheckInput, JsonObject, Transformation } from '../contract/index.ts'
import type { CompiledHook, HookResult } from './hook.ts'
import { type CheckEnvironment, type CheckOutcome, runCheck } from './run-check.ts'
import { rewriteTexts } from './text.ts'

export interface PhaseOutcome {
  /** The body after the mutators; the same object when none changed it. */
  body: JsonObject
  results: HookResult[]
  isDenied: boolean
}

/**
 * @param inputOf makes the input for a body; called again after a mutator changed it
 * @param finishAsync told of the results of async hooks, when they are there
 */
export async function runHooks(
  hooks: readonly CompiledHook[],
  body: JsonObject,
  inputOf: (body: JsonObject) => CheckInput,
  environment: CheckEnvironment,
  finishAsync: (result: Promise<HookResult>) => void,
): Promise<PhaseOutcome> {
  const results: HookResult[] = []
  let current = body
  for (const hook of hooks) {
    if (hook.type !== 'mutator') continue
    const ran = await runMutator(hook, current, inputOf, environment)
    current = ran.body
    results.push(ran.result)
    if (ran.result.deny && !ran.result.verdict) return { body: current, results, isDenied: true }
  }
  const guardrails = hooks.filter(({ type }) => type === 'guardrail')
  if (guardrails.length > 0) {
    const input = inputOf(current)
    for (const hook of guardrails) if (hook.async) finishAsync(runGuardrail(hook, input, environment))
    const waited = guardrails.filter((hook) => !hook.async)
    results.push(...(await Promise.all(waited.map((hook) => runGuardrail(hook, input, environment)))))
  }
  return { body: current, results, isDenied: results.some(({ deny, verdict }) => deny && !verdict) }
}

async function runGuardrail(
  hook: CompiledHook,
  input: CheckInput,
  environment: CheckEnvironment,
): Promise<HookResult> {
  const startedAt = performance.now()
  const outcomes: CheckOutcome[] = []
  if (hook.sequential) {
    for (const check of hook.checks) {
      const outcome = await runCheck(check, hook, input, environment)
      outcomes.push(outcome)
      if (!outcome.result.verdict) break
    }
  } else {
    outcomes.push(
      ...(await Promise.all(hook.checks.map((check) => runCheck(check, hook, input, environment)))),
    )
  }
  return resultOf(hook, outcomes, startedAt)
}

async function runMutator(
  hook: CompiledHook,
  body: JsonObject,
  inputOf: (body: JsonObject) => CheckInput,
  environment: CheckEnvironment,
): Promise<{ body: JsonObject; result: HookResult }> {
  const startedAt = performance.now()
  const outcomes: CheckOutcome[] = []
  let current = body
  for (const check of hook.checks) {
    const outcome = await runCheck(check, hook, inputOf(current), environment)
    outcomes.push(outcome)
    if (outcome.transformed !== null) current = transform(current, outcome.transformed)
  }
  return { body: current, result: resultOf(hook, outcomes, startedAt) }
}

function transform(body: JsonObject, transformed: Transformation): JsonObject {
  return 'json' in transformed ? transformed.json : rewriteTexts(body, transformed.texts)
}

function resultOf(hook: CompiledHook, outcomes: readonly CheckOutcome[], startedAt: number): HookResult {
  const verdict = outcomes.every(({ result }) => result.verdict)
  return {
    id: hook.id,
    verdict,
    deny: hook.deny,
    async: hook.async,
    type: hook.type,
    execution_time: Math.round((performance.now() - startedAt) * 1000) / 1000,
    transformed: outcomes.some(({ transformed }) => transformed !== null),
    feedback: verdict ? hook.onSuccess : hook.onFail,
    checks: outcomes.map(({ result }) => result),
  }
}
