/**
 * What every check must do, whatever it checks: the same suite for the local checks and for a plugin author's.
 * It knows no test runner; `describeChecks` registers it with the one that is there.
 */
import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import type { Check, CheckIo, GuardrailPlugin, Json, JsonObject, Verdict } from '../contract/index.ts'
import { type CheckRun, createTestInput, createTestIo, prepareCheck } from './run-check.ts'

/** One requirement, of one check. */
export interface Requirement {
  /** The check's id. */
  check: string
  title: string
  /** Rejects when the check does not meet it. */
  test(): Promise<void>
}

/** Texts that a check may refuse to judge, by throwing: name them in `throwsOn`, and in the check's description. */
export type HardText = 'empty' | 'huge' | 'multi-byte'

const hardTexts: Record<HardText, () => string> = {
  empty: () => '',
  huge: () => 'all work and no play '.repeat(50_000),
  'multi-byte': () => '👩‍🚀 日本語 שלום İß \u0000 \ud800 \u2028',
}

/** Milliseconds after which a check that was told to stop counts as hanging. */
const patienceMs = 5000

/**
 * Lists the requirements of a plugin's checks.
 * `samples` holds, by check id, a run whose parameters are valid (and whose `io` answers, where one is needed).
 */
export function checkConformance(
  plugin: GuardrailPlugin,
  samples: Readonly<Record<string, CheckRun>>,
  throwsOn: Readonly<Record<string, readonly HardText[]>> = {},
): Requirement[] {
  return plugin.checks.flatMap((check) => {
    const sample = samples[check.id]
    const require = (title: string, test: () => Promise<void>) => ({ check: check.id, title, test })
    if (sample === undefined)
      return [require('has a case', () => Promise.reject(new Error('no case shows valid parameters')))]
    const refusals = throwsOn[check.id] ?? []
    return [
      require('describes itself and its parameters', async () => describesItself(check)),
      require('refuses parameters that break its schema', async () => refusesBadParameters(check, sample)),
      ...Object.keys(hardTexts)
        .filter((name): name is HardText => !refusals.includes(name as HardText))
        .map((name) => require(`gives a verdict on ${name} text`, () => judges(check, sample, name))),
      require('gives the same verdict again, whatever came between', () => repeatsItself(check, sample)),
      require('settles when it is told to stop', () => stops(check, sample)),
    ]
  })
}

/** The members of an object schema. */
function membersOf(check: Check): Record<string, JsonObject> {
  return (check.parameters.properties ?? {}) as Record<string, JsonObject>
}

function describesItself(check: Check): void {
  ok(/^[A-Za-z][A-Za-z0-9_-]*$/.test(check.id), `the id "${check.id}" is a word`)
  ok(check.title.length > 0 && check.description.length > 0, 'has a title and a description')
  ok(check.phases.length > 0, 'runs in some phase')
  equal(check.parameters.type, 'object')
  equal(check.parameters.additionalProperties, false, 'its schema refuses unknown keys')
  for (const [name, member] of Object.entries(membersOf(check)))
    ok(typeof member.description === 'string' && member.description !== '', `${name} has a description`)
}

function refusesBadParameters(check: Check, sample: CheckRun): void {
  const valid = sample.parameters ?? {}
  const settings = sample.io?.settings
  const refused = (parameters: JsonObject, what: string) =>
    throws(() => prepareCheck(check, parameters, settings), /^Error: parameters/, what)
  prepareCheck(check, valid, settings)
  refused({ ...valid, unknown_key: true }, 'an unknown key is refused')
  for (const name of (check.parameters.required ?? []) as string[]) {
    const { [name]: _, ...rest } = valid
    refused(rest, `${name} is required`)
  }
  const values: Json[] = [null, true, 0.5, 'text', ['text'], {}]
  for (const name of Object.keys(membersOf(check))) {
    const wrong = values.some((value) => isRefused(check, { ...valid, [name]: value }, settings))
    ok(wrong, `${name} refuses a value of the wrong type`)
  }
}

function isRefused(check: Check, parameters: JsonObject, settings?: Readonly<JsonObject>): boolean {
  try {
    prepareCheck(check, parameters, settings)
    return false
  } catch (error) {
    return error instanceof Error && error.message.startsWith('parameters')
  }
}

/** The sample's surroundings around other texts: as a message, as a choice and in every other kind of body. */
function runsWith(check: Check, sample: CheckRun, text: string): CheckRun[] {
  const { request: _, response: __, ...rest } = sample
  const model = 'test-model'
  return check.phases.flatMap((phase): CheckRun[] => {
    const run: CheckRun = { ...rest, phase, text }
    if (phase === 'after')
      return [
        run,
        { ...run, endpoint: 'complete', response: { choices: [{ index: 0, text }] } },
        { ...run, response: {} },
      ]
    return [
      run,
      { ...run, request: { model, messages: [{ role: 'user', content: [{ type: 'text', text }] }] } },
      { ...run, endpoint: 'complete', request: { model, prompt: [text] } },
      { ...run, endpoint: 'embed', request: { model, input: [1, 2, 3] } },
      { ...run, endpoint: 'imageGenerate', request: { prompt: text } },
      { ...run, endpoint: 'rerank', request: { model, query: text, documents: [text, { text }] } },
    ]
  })
}

async function judges(check: Check, sample: CheckRun, name: HardText): Promise<void> {
  for (const run of runsWith(check, sample, hardTexts[name]())) {
    const { verdict } = await perform(check, run)
    equal(typeof verdict, 'boolean', `a verdict on ${run.endpoint ?? 'chatComplete'}, ${run.phase}`)
  }
}

async function repeatsItself(check: Check, sample: CheckRun): Promise<void> {
  const prepared = prepareCheck(check, sample.parameters ?? {}, sample.io?.settings)
  const io = createTestIo(sample.io)
  const first = await prepared.run(createTestInput(check, sample), io)
  for (const run of runsWith(check, sample, 'something else'))
    await prepared.run(createTestInput(check, run), io)
  deepEqual(await prepared.run(createTestInput(check, sample), io), first)
}

/** The network never answers; only the signal ends the waiting. A verdict and a fault are both an end. */
async function stops(check: Check, sample: CheckRun): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const silence = () =>
    new Promise<never>((_, reject) => {
      const stop = () => reject(new Error('stopped'))
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  const io: Partial<CheckIo> = { signal, fetchJson: silence, fetch: silence, chatComplete: silence }
  let timer: NodeJS.Timeout | undefined
  const hanging = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, patienceMs, 'hangs')
  })
  const settled = perform(check, { ...sample, io: { ...sample.io, ...io } }).then(
    () => 'settled',
    () => 'settled',
  )
  controller.abort()
  const outcome = await Promise.race([settled, hanging])
  clearTimeout(timer)
  equal(outcome, 'settled')
}

async function perform(check: Check, run: CheckRun): Promise<Verdict> {
  return prepareCheck(check, run.parameters ?? {}, run.io?.settings).run(
    createTestInput(check, run),
    createTestIo(run.io),
  )
}
