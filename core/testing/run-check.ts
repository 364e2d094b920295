/** Runs one check as the gateway does: parameters validated and filled, input frozen, no network unless it is given. */
import { createCheckInput } from '../checks/input.ts'
import { joinTexts, rewriteTexts, textParts } from '../checks/text.ts'
import type { Check, CheckInput, CheckIo, EndpointId, JsonObject, Phase, Verdict } from '../contract/index.ts'
import { createFillingValidator, toFaults, type Validator } from '../validate.ts'

/** What a check is run with. Everything but the parameters has a default. */
export interface CheckRun {
  parameters?: JsonObject
  /** Default: the check's first phase. */
  phase?: Phase
  /** Default `chatComplete`. */
  endpoint?: EndpointId
  /** The short way to a body: one user message before, one choice after. `request` and `response` win over it. */
  text?: string
  request?: JsonObject
  response?: JsonObject
  /** Of the answer; default 200. */
  status?: number
  provider?: string | null
  metadata?: Record<string, string>
  headers?: Record<string, string>
  io?: Partial<CheckIo>
}

/** What came of it. */
export interface CheckOutcome extends Verdict {
  /** The request (before) or the answer (after), with what a mutator changed. */
  body: JsonObject
  /** The body's texts, joined with newlines. */
  text: string
}

/**
 * Runs a check.
 * @throws Error when the parameters break the schema, or the check refuses them or fails
 */
export async function runCheck(check: Check, run: CheckRun = {}): Promise<CheckOutcome> {
  const prepared = prepareCheck(check, run.parameters ?? {}, run.io?.settings)
  const input = createTestInput(check, run)
  const verdict = await prepared.run(input, createTestIo(run.io))
  return { ...verdict, ...applied(input, verdict) }
}

/**
 * Validates parameters against the check's schema, fills the defaults in, and prepares the check.
 * @throws Error that names the first faulty parameter
 */
export function prepareCheck(
  check: Check,
  parameters: JsonObject,
  settings: Readonly<JsonObject> = {},
): ReturnType<Check['prepare']> {
  const filled = structuredClone(parameters)
  const errors = validatorOf(check)(filled)
  if (errors === null) return check.prepare(filled as never, settings)
  const [fault] = toFaults(errors, 'invalid_config', 'parameters')
  throw new Error(fault === undefined ? 'parameters are not valid' : `${fault.param} ${fault.message}`)
}

const validators = new WeakMap<Check, Validator>()

function validatorOf(check: Check): Validator {
  const validator = validators.get(check) ?? createFillingValidator(check.parameters)
  validators.set(check, validator)
  return validator
}

/** Makes a check's input whose bodies cannot be changed: a check that tries fails with a TypeError. */
export function createTestInput(check: Check, run: CheckRun): CheckInput {
  const phase = run.phase ?? check.phases[0] ?? 'before'
  const text = run.text ?? ''
  const request = run.request ?? {
    model: 'test-model',
    messages: [{ role: 'user', content: phase === 'before' ? text : 'Hello' }],
  }
  const response = run.response ?? {
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
  }
  return createCheckInput({
    phase,
    endpoint: run.endpoint ?? 'chatComplete',
    provider: run.provider ?? null,
    metadata: frozen(run.metadata ?? {}),
    headers: frozen(run.headers ?? {}),
    request: { json: frozen(request) },
    response: phase === 'before' ? null : { json: frozen(response), status: run.status ?? 200 },
  })
}

/** Makes a check's surroundings: a clock that stands still, no settings, and no network. */
export function createTestIo(io: Partial<CheckIo> = {}): CheckIo {
  return {
    signal: new AbortController().signal,
    now: () => 1_700_000_000_000,
    settings: {},
    fetchJson: ({ url }) => Promise.reject(new Error(`the test gave no answer for ${url}`)),
    fetch: ({ url }) => Promise.reject(new Error(`the test gave no answer for ${url}`)),
    chatComplete: (provider) => Promise.reject(new Error(`the test gave no answer of ${provider}`)),
    shared: new Map(),
    ...io,
  }
}

function applied(input: CheckInput, { transformed }: Verdict): { body: JsonObject; text: string } {
  const subject = input.phase === 'before' ? input.request.json : (input.response?.json ?? {})
  if (transformed === undefined) return { body: subject, text: input.text }
  const body = 'json' in transformed ? transformed.json : rewriteTexts(subject, transformed.texts)
  return { body, text: joinTexts(textParts(input.endpoint, input.phase, body)) }
}

function frozen<Value extends object>(value: Value): Value {
  const copy = structuredClone(value)
  freeze(copy)
  return copy
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}
