/**
 * Runs the hooks of one phase: mutators first, in order, each on the previous one's result; then guardrails in
 * parallel, all on the mutators' result. A guardrail's own changes, such as redactions, apply afterwards. Async hooks
 * are deferred until the answer has ended.
 */
import { asJson, type CheckInput, GatewayError, type JsonObject, type Phase } from '@gateway/contract'
import {
  type Answer,
  allOf,
  andThen,
  type CompiledHook,
  elapsedMs,
  faultAnswer,
  type HookResult,
  type MaybePromise,
  nodePath,
  type Received,
  recordDecision,
  statusOf,
} from '@gateway/flow'
import type { CheckEnvironment } from './check-io.ts'
import { denialMessage } from './denial-message.ts'
import { type CheckOutcome, runCheck } from './run-check.ts'

export interface PhaseOutcome {
  /** The body after the hooks; the same object if no hook changed it. */
  body: JsonObject
  results: HookResult[]
  isDenied: boolean
}

/** What hooks read. */
interface HookInput {
  /** Creates the input for a body; called again after a hook changed it. */
  inputOf: (body: JsonObject) => CheckInput
  environment: CheckEnvironment
}

interface HookRun {
  body: JsonObject
  result: HookResult
}

export function runHooks(
  hooks: readonly CompiledHook[],
  body: JsonObject,
  phase: HookPhase,
): MaybePromise<PhaseOutcome> {
  const order = orderOf(hooks)
  const { mutators, waited, later } = order
  const mutated = mutators.length === 0 ? unchanged(body) : runMutators(mutators, body, phase)
  return andThen(mutated, (outcome) =>
    outcome.isDenied || waited.length + later.length === 0 ? outcome : runGuardrails(order, outcome, phase),
  )
}

/** The hooks of one phase by when they run. */
interface HookOrder {
  mutators: readonly CompiledHook[]
  /** Guardrails that the request waits for. */
  waited: readonly CompiledHook[]
  /** Async guardrails. */
  later: readonly CompiledHook[]
}

/** Made once per list of a config. */
const orders = new WeakMap<readonly CompiledHook[], HookOrder>()

function orderOf(hooks: readonly CompiledHook[]): HookOrder {
  const known = orders.get(hooks)
  if (known !== undefined) return known
  const guardrails = hooks.filter(({ type }) => type === 'guardrail')
  const made = {
    mutators: hooks.filter(({ type }) => type === 'mutator'),
    waited: guardrails.filter((hook) => !hook.async),
    later: guardrails.filter((hook) => hook.async),
  }
  orders.set(hooks, made)
  return made
}

interface HookPhase extends HookInput {
  /** Receives async hooks. */
  runLater: (run: (environment: CheckEnvironment) => Promise<HookResult>) => void
}

const unchanged = (body: JsonObject): PhaseOutcome => ({ body, results: [], isDenied: false })

async function runMutators(
  mutators: readonly CompiledHook[],
  body: JsonObject,
  phase: HookPhase,
): Promise<PhaseOutcome> {
  const results: HookResult[] = []
  let current = body
  for (const hook of mutators) {
    const ran = await runHook(hook, current, phase)
    current = ran.body
    results.push(ran.result)
    if (denies(hook, ran.result)) return { body: current, results, isDenied: true }
  }
  return { body: current, results, isDenied: false }
}

/** @param before the body after the mutators */
function runGuardrails(
  { waited, later }: HookOrder,
  before: PhaseOutcome,
  { inputOf, environment, runLater }: HookPhase,
): MaybePromise<PhaseOutcome> {
  const { body: mutated } = before
  const input = inputOf(mutated)
  const same: HookInput = { inputOf: () => input, environment }
  for (const hook of later)
    runLater(async (late) => (await runHook(hook, mutated, { ...same, environment: late })).result)
  const ran = allOf(waited.map((hook) => runHook(hook, mutated, same)))
  const final = andThen(ran, (early) => {
    const isShared = early.filter(({ body }) => body !== mutated).length > 1
    return isShared ? runAgain(waited, early, { mutated, inputOf, environment }) : early
  })
  return andThen(final, (runs) => joinRuns(waited, runs, before))
}

interface RunAgainOptions extends HookInput {
  mutated: JsonObject
}

/** If several hooks changed the same text, all but the first run again: no change may undo another. */
async function runAgain(
  hooks: readonly CompiledHook[],
  early: readonly HookRun[],
  { mutated, inputOf, environment }: RunAgainOptions,
): Promise<HookRun[]> {
  const runs: HookRun[] = []
  let current = mutated
  for (const [index, hook] of hooks.entries()) {
    const known = early[index]
    const isFresh = known !== undefined && (known.body === mutated || current === mutated)
    const run = isFresh ? known : await runHook(hook, current, { inputOf, environment })
    if (run.body !== mutated) current = run.body
    runs.push(run)
  }
  return runs
}

function joinRuns(
  hooks: readonly CompiledHook[],
  runs: readonly HookRun[],
  before: PhaseOutcome,
): PhaseOutcome {
  let current = before.body
  let isDenied = false
  for (const [index, { body, result }] of runs.entries()) {
    const hook = hooks[index]
    if (body !== before.body) current = body
    isDenied ||= hook !== undefined && denies(hook, result)
  }
  return { body: current, results: before.results.concat(runs.map(({ result }) => result)), isDenied }
}

/** An error is never a pass by itself: the hook's failure settings decide. */
function denies(
  { deny, denyOnSuccess }: CompiledHook,
  result: Pick<HookResult, 'verdict' | 'checks'>,
): boolean {
  if (!denyOnSuccess) return deny && !result.verdict
  const isBroken = result.checks.some(({ error }) => error !== null)
  return result.verdict ? !isBroken : deny || isBroken
}

/** Runs checks in parallel where allowed. */
function runHook(
  hook: CompiledHook,
  body: JsonObject,
  { inputOf, environment }: HookInput,
): MaybePromise<HookRun> {
  const startedAt = performance.now()
  if (hook.sequential || hook.type === 'mutator')
    return runInOrder(hook, body, { early: [], inputOf, environment, startedAt })
  const subject = { body, input: inputOf(body), environment }
  const ran = allOf(hook.checks.map((check) => runCheck(check, hook, subject)))
  return andThen(ran, (early): MaybePromise<HookRun> => {
    const changes = early.filter((outcome) => outcome.body !== null)
    // Changes are applied one after another.
    if (changes.length > 1) return runInOrder(hook, body, { early, inputOf, environment, startedAt })
    return { body: changes[0]?.body ?? body, result: resultOf(hook, early, startedAt) }
  })
}

interface RunInOrderOptions extends HookInput {
  early: readonly CheckOutcome[]
  startedAt: number
}

/** Runs checks one after another, each on the previous one's body; early results stay valid while nothing changed. */
async function runInOrder(
  hook: CompiledHook,
  body: JsonObject,
  { early, inputOf, environment, startedAt }: RunInOrderOptions,
): Promise<HookRun> {
  const outcomes: CheckOutcome[] = []
  let current = body
  for (const [index, check] of hook.checks.entries()) {
    const known = early[index]
    const isFresh = known !== undefined && (known.body === null || current === body)
    const outcome = isFresh
      ? known
      : await runCheck(check, hook, { body: current, input: inputOf(current), environment })
    outcomes.push(outcome)
    current = outcome.body ?? current
    if (hook.type === 'guardrail' && hook.sequential && !outcome.result.verdict) break
  }
  return { body: current, result: resultOf(hook, outcomes, startedAt) }
}

function resultOf(hook: CompiledHook, outcomes: readonly CheckOutcome[], startedAt: number): HookResult {
  const checks = outcomes.map(({ result }) => result)
  const verdict = checks.every((check) => check.verdict)
  return {
    id: hook.id,
    verdict,
    deny: hook.deny || denies(hook, { verdict, checks }),
    async: hook.async,
    type: hook.type,
    execution_time: Math.round((performance.now() - startedAt) * 1000) / 1000,
    transformed: outcomes.some(({ body }) => body !== null),
    feedback: verdict ? hook.onSuccess : hook.onFail,
    checks,
  }
}

/**
 * The answer with its `hook_results` (contract section 5), added to the body or the error, and the resulting status.
 */
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
 * The original text, with the results after its last member. Null when the body must be serialized from the parsed
 * value: with duplicate keys, another parser may read a value that was not checked.
 */
function textWith({ text, body, afterResults }: Answer, results: JsonObject): string | null {
  if (text === null || body === null || afterResults.length > 0) return null
  if ('hook_results' in body || Object.keys(body).length === 0) return null
  return `${text.slice(0, text.lastIndexOf('}'))},"hook_results":${JSON.stringify(results)}}`
}

/** Records the guardrails' decisions; mutators make none. */
export function recordGuardrails(exchange: Received, phase: Phase, results: readonly HookResult[]): void {
  for (const { id, type, verdict, deny, async } of results) {
    if (type !== 'guardrail') continue
    recordDecision(exchange, {
      step: 'guardrail',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      id,
      phase,
      verdict,
      denied: deny && !verdict && !async,
    })
  }
}

/** The results in the form of the contract (section 5). */
export function render(before: readonly HookResult[], after: readonly HookResult[]): JsonObject {
  // Results are plain data; a check's `data` is serialized with them.
  return { before_request_hooks: asJson(before), after_request_hooks: asJson(after) }
}

export function denialAnswer(phase: Phase, parts: Partial<Answer>): Answer {
  const { beforeResults = [], afterResults = [] } = parts
  const message = denialMessage(phase, phase === 'before' ? beforeResults : afterResults)
  return faultAnswer(new GatewayError('guardrail_denied', message), parts)
}

/** A denial in the middle of a stream, with the results of the checks. */
export class StreamDenial extends GatewayError {
  readonly results: readonly HookResult[]

  constructor(results: readonly HookResult[]) {
    super('guardrail_denied', denialMessage('after', results))
    this.results = results
  }
}
