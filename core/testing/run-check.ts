/**
 * Runs one check like the gateway: with validated parameters and their defaults, frozen input, and no network by
 * default.
 */

import type { Check, CheckInput, CheckIo, EndpointId, JsonObject, Phase, Verdict } from '@gateway/contract'
import {
  createCheckInput,
  createFillingValidator,
  createTextInput,
  joinTexts,
  rewriteTexts,
  textParts,
  toFaults,
  type Validator,
} from '@gateway/core/harness'
import { endpointOf } from './endpoints.ts'
import { assertVerdict } from './verdict-faults.ts'

/** The inputs of a check run. Everything except the parameters has a default. */
export interface CheckRun {
  parameters?: JsonObject
  /** The phase. Default: the check's first phase. */
  phase?: Phase
  /** The endpoint. Default `chatComplete`. */
  endpoint?: EndpointId
  /**
   * The short form of a body: one user message in the before phase, one choice in the after phase. `request` and
   * `response` override it.
   */
  text?: string
  request?: JsonObject
  response?: JsonObject
  /** The status of the answer; default 200. */
  status?: number
  /** Whether the answer is a stream that is still arriving: its texts are available, but its body is not. */
  streamed?: boolean
  provider?: string | null
  metadata?: Record<string, string>
  headers?: Record<string, string>
  io?: Partial<CheckIo>
}

/** The result. */
export interface CheckOutcome extends Verdict {
  /** The request (before) or the answer (after), with a mutator's changes. */
  body: JsonObject
  /** The body's texts, joined with newlines. */
  text: string
}

/**
 * Runs a check.
 * @throws Error when the parameters break the schema, when the check refuses them or fails, and when its result is not
 * a verdict
 */
export async function runCheck(check: Check, run: CheckRun = {}): Promise<CheckOutcome> {
  const prepared = prepareCheck(check, run.parameters ?? {}, run.io?.settings)
  const input = createTestInput(check, run)
  const verdict: unknown = await prepared.run(input, createTestIo(run.io))
  assertVerdict(verdict)
  return { ...verdict, ...applied(input, verdict) }
}

/**
 * Validates parameters against the check's schema, fills in defaults, and prepares the check.
 * @throws Error that names the first invalid parameter
 */
export function prepareCheck(
  check: Check,
  parameters: JsonObject,
  settings: Readonly<JsonObject> = {},
): ReturnType<Check['prepare']> {
  const filled = structuredClone(parameters)
  const errors = validatorOf(check)(filled)
  if (errors === null) return check.prepare(filled as never, frozen(settings))
  const [fault] = toFaults(errors, 'invalid_config', 'parameters')
  throw new Error(fault === undefined ? 'parameters are not valid' : `${fault.param} ${fault.message}`)
}

const validators = new WeakMap<Check, Validator>()

function validatorOf(check: Check): Validator {
  const validator = validators.get(check) ?? createFillingValidator(check.parameters)
  validators.set(check, validator)
  return validator
}

/** Creates a check's input with frozen bodies: a check that modifies them fails with a TypeError. */
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
  const { status = 200 } = run
  const endpoint = endpointOf(run.endpoint ?? 'chatComplete')
  const subject = {
    phase,
    endpoint,
    provider: run.provider ?? null,
    metadata: frozen(run.metadata ?? {}),
    headers: frozen(run.headers ?? {}),
    request: { json: frozen(request) },
  }
  if (phase === 'before') return createCheckInput({ ...subject, response: null })
  if (run.streamed !== true)
    return createCheckInput({ ...subject, response: { json: frozen(response), status } })
  const parts = textParts(endpoint, 'after', response)
  return createTextInput({ ...subject, response: { json: null, status }, parts })
}

/** Creates a check's context: a fixed clock, no settings, and no network. */
export function createTestIo(io: Partial<CheckIo> = {}): CheckIo {
  return {
    signal: new AbortController().signal,
    now: () => 1_700_000_000_000,
    settings: {},
    fetchJson: ({ url }) => Promise.reject(new Error(`the test gave no answer for ${url}`)),
    fetch: ({ url }) => Promise.reject(new Error(`the test gave no answer for ${url}`)),
    resolves: (hostname) => Promise.reject(new Error(`the test does not know the host ${hostname}`)),
    header: null,
    chatComplete: (provider) => Promise.reject(new Error(`the test gave no answer of ${provider}`)),
    keySets: {
      get: (url) => Promise.reject(new Error(`the test gave no keys of ${url}`)),
      renew: (url) => Promise.reject(new Error(`the test gave no keys of ${url}`)),
    },
    shared: new Map(),
    ...io,
  }
}

function applied(input: CheckInput, { transformed }: Verdict): { body: JsonObject; text: string } {
  const subject = input.phase === 'before' ? input.request.json : (input.response?.json ?? {})
  // A stream that is already being delivered cannot be changed.
  const isGone = input.phase === 'after' && input.response?.json === null
  if (transformed === undefined || isGone) return { body: subject, text: input.text }
  const body = 'json' in transformed ? transformed.json : rewriteTexts(subject, transformed.texts)
  return { body, text: joinTexts(textParts(endpointOf(input.endpoint), input.phase, body)) }
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
