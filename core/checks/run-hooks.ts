/**
 * Runs the hooks of one phase: mutators first, in order, each seeing the last one's text; then guardrails, side by
 * side, all seeing what the mutators left. What a guardrail itself changes, such as a redaction, counts after that.
 * Async hooks are put off until the answer is over.
 */
import { type CheckInput, isObject, type JsonObject, type Transformation } from '../contract/index.ts'
import type { CompiledCheck, CompiledHook, HookResult } from './hook.ts'
import { rewriteFitting } from './rewrite-texts.ts'
import { type Applied, type CheckEnvironment, type CheckOutcome, runCheck } from './run-check.ts'

export interface PhaseOutcome {
  /** The body as the hooks leave it; the same object when none changed it. */
  body: JsonObject
  results: HookResult[]
  isDenied: boolean
}

/** Makes the input for a body. */
type InputOf = (body: JsonObject) => CheckInput

interface HookRun {
  body: JsonObject
  result: HookResult
}

/**
 * @param inputOf called again after a hook changed the body
 * @param runLater takes async hooks
 */
export async function runHooks(
  hooks: readonly CompiledHook[],
  body: JsonObject,
  inputOf: InputOf,
  environment: CheckEnvironment,
  runLater: (run: (environment: CheckEnvironment) => Promise<HookResult>) => void,
): Promise<PhaseOutcome> {
  const results: HookResult[] = []
  let current = body
  for (const hook of hooks) {
    if (hook.type !== 'mutator') continue
    const ran = await runHook(hook, current, inputOf, environment)
    current = ran.body
    results.push(ran.result)
    if (ran.result.deny && !ran.result.verdict) return { body: current, results, isDenied: true }
  }
  const guardrails = hooks.filter(({ type }) => type === 'guardrail')
  if (guardrails.length === 0) return { body: current, results, isDenied: false }
  const mutated = current
  const input = inputOf(mutated)
  const waited: CompiledHook[] = []
  for (const hook of guardrails) {
    if (!hook.async) waited.push(hook)
    else runLater(async (late) => (await runHook(hook, mutated, () => input, late)).result)
  }
  const ran = await Promise.all(
    waited.map(async (hook) => ({ hook, early: await runHook(hook, mutated, () => input, environment) })),
  )
  for (const { hook, early } of ran) {
    // What it changed was changed by another one meanwhile: it looks again, so that no change undoes another.
    const isStale = early.body !== mutated && current !== mutated
    const { body, result } = isStale ? await runHook(hook, current, inputOf, environment) : early
    if (body !== mutated) current = body
    results.push(result)
  }
  return { body: current, results, isDenied: results.some(({ deny, verdict }) => deny && !verdict) }
}

async function runHook(
  hook: CompiledHook,
  body: JsonObject,
  inputOf: InputOf,
  environment: CheckEnvironment,
): Promise<HookRun> {
  const startedAt = performance.now()
  const run = (check: CompiledCheck, current: JsonObject, input: CheckInput) =>
    runCheck(check, hook, input, environment, (change) => transform(current, change, input, environment))
  const input = hook.sequential || hook.type === 'mutator' ? null : inputOf(body)
  const begun = input === null ? [] : hook.checks.map((check) => run(check, body, input))
  const early = begun.every(isKnown) ? begun : await Promise.all(begun)
  const outcomes: CheckOutcome[] = []
  let current = body
  for (const [index, check] of hook.checks.entries()) {
    const known = early[index]
    const isFresh = known !== undefined && (known.body === null || current === body)
    const outcome = isFresh ? known : await run(check, current, inputOf(current))
    outcomes.push(outcome)
    current = outcome.body ?? current
    if (hook.type === 'guardrail' && hook.sequential && !outcome.result.verdict) break
  }
  return { body: current, result: resultOf(hook, outcomes, startedAt) }
}

/** Whether a check answered at once. */
const isKnown = (outcome: CheckOutcome | Promise<CheckOutcome>): outcome is CheckOutcome =>
  !(outcome instanceof Promise)

/** Throws for a body that cannot be. */
function transform(
  body: JsonObject,
  change: Transformation,
  { phase, response }: CheckInput,
  environment: CheckEnvironment,
): Applied {
  if (phase === 'after' && response?.json === null) return { body: null, unfit: flowing }
  if ('texts' in change) return rewriteFitting(body, change.texts)
  if (phase === 'before') environment.checkRequest(change.json)
  if (!isObject(change.json)) throw new Error('The check changed the body to something that is no object.')
  return { body: change.json, unfit: null }
}

const flowing = new Error('The answer flows already and cannot be changed.')

function resultOf(hook: CompiledHook, outcomes: readonly CheckOutcome[], startedAt: number): HookResult {
  const verdict = outcomes.every(({ result }) => result.verdict)
  return {
    id: hook.id,
    verdict,
    deny: hook.deny,
    async: hook.async,
    type: hook.type,
    execution_time: Math.round((performance.now() - startedAt) * 1000) / 1000,
    transformed: outcomes.some(({ body }) => body !== null),
    feedback: verdict ? hook.onSuccess : hook.onFail,
    checks: outcomes.map(({ result }) => result),
  }
}
