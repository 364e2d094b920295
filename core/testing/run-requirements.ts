/**
 * Requirements for every run of a check: it accepts any text anywhere, stops when cancelled, keeps no state, and quotes
 * nothing.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Check, CheckIo, Phase } from '@gateway/contract'
import { type CheckOutcome, type CheckRun, createTestInput, createTestIo, prepareCheck } from './run-check.ts'
import { HangError, runWithin, within } from './run-within.ts'
import { answersWith, requestsWith, usualBodies } from './test-bodies.ts'
import { quotationIn } from './verdict-faults.ts'

/** Texts for which a check may throw instead of judging: name them in `throwsOn`, and in the check's description. */
export type HardText = 'empty' | 'huge' | 'multi-byte' | 'streamed'

/** The huge text has about a megabyte. The other texts are tried in every kind of body. */
export const hardTexts: Record<Exclude<HardText, 'streamed'>, () => string> = {
  empty: () => '',
  huge: () => 'all work and no play '.repeat(50_000),
  'multi-byte': () => '👩‍🚀 日本語 שלום İß \u0000 \ud800 \u2028',
}

/** A text that no check uses itself. */
const plainText = 'Violet umbrellas were sent to 42 harbours, and nobody there knew what to do with them.'

/** The sample's parameters with another text: in every kind of body, or in the usual ones. */
function runsWith(
  check: Check,
  sample: CheckRun,
  { text, most }: { text: string; most?: number | undefined },
): CheckRun[] {
  const { text: _, request: __, response: ___, endpoint: ____, streamed: _____, ...rest } = sample
  return check.phases.flatMap((phase: Phase): CheckRun[] =>
    phase === 'before'
      ? requestsWith(text)
          .slice(0, most)
          .map(({ endpoint, body }) => ({ ...rest, phase, endpoint, request: body }))
      : answersWith(text)
          .slice(0, most)
          .map(({ endpoint, body }) => ({ ...rest, phase, endpoint, response: body })),
  )
}

/** A verdict for every body, without quotations, and a valid change. */
export async function judges(check: Check, sample: CheckRun, name: keyof typeof hardTexts): Promise<void> {
  const most = name === 'huge' ? usualBodies : undefined
  for (const run of runsWith(check, sample, { text: hardTexts[name](), most })) {
    const outcome = await runWithin(check, run).catch((error: unknown) => {
      throw new Error(`${run.endpoint}, ${run.phase}: ${String(error)}`, { cause: error })
    })
    isTruthful(check, run, outcome)
  }
}

/** A denial of the sample, or of any meaningless text, reports the position and not the text. */
export async function quotesNothing(check: Check, sample: CheckRun): Promise<void> {
  for (const run of [sample, ...runsWith(check, sample, { text: plainText })]) {
    // Whether it may throw is part of another requirement.
    const outcome = await runWithin(check, run).catch((error: unknown) => {
      if (error instanceof HangError) throw error
      return null
    })
    if (outcome !== null) isTruthful(check, run, outcome)
  }
}

/**
 * @throws Error when a result quotes the denied texts, or an answer is changed by a guardrail that did not declare it:
 * on a stream that change would be lost
 */
export function isTruthful(check: Check, run: CheckRun, outcome: CheckOutcome): void {
  saysNothingOf(check, run, outcome)
  const { transformed } = outcome
  const isRedaction = transformed !== undefined && 'texts' in transformed && check.kind === 'guardrail'
  if (!isRedaction || phaseOf(check, run) === 'before') return
  const { transforms } = prepareCheck(check, run.parameters ?? {}, run.io?.settings)
  equal(transforms, true, 'a guardrail that changes texts of an answer says so: transforms')
}

function saysNothingOf(check: Check, run: CheckRun, outcome: CheckOutcome): void {
  if (outcome.verdict) return
  const texts = createTestInput(check, run).parts.map(({ text }) => text)
  const quoted = quotationIn(outcome.data, texts, run.parameters)
  ok(quoted === null, `data quotes the text that was denied: ${JSON.stringify(quoted)}`)
}

const leastWindow = 24
/** Longer texts are not split into windows. */
const longestCut = 2000

/**
 * While a stream arrives there is no body, only text, and a windowed check judges windows of it: every window of a text
 * that it passes must pass, and one window of a text that it denies must fail.
 */
export async function judgesStreams(check: Check, runs: readonly CheckRun[]): Promise<void> {
  for (const run of runs) {
    const own = phaseOf(check, run) === 'after' ? createTestInput(check, run).text.slice(0, longestCut) : ''
    if (run === runs[0]) for (const text of ['', plainText, own]) await judgesWindows(check, run, text)
    if (isWindowed(check, run))
      for (const text of [own + plainText, plainText + own]) await judgesWindows(check, run, text)
  }
}

const isWindowed = (check: Check, run: CheckRun): boolean =>
  prepareCheck(check, run.parameters ?? {}, run.io?.settings).windowed === true

async function judgesWindows(check: Check, run: CheckRun, whole: string): Promise<void> {
  const { windowed, longestMatch } = prepareCheck(check, run.parameters ?? {}, run.io?.settings)
  const passes = async (text: string) => {
    const { request: _, response: __, endpoint: ___, ...rest } = run
    return (await runWithin(check, { ...rest, phase: 'after', streamed: true, text })).verdict
  }
  const verdict = await passes(whole)
  if (windowed !== true) return
  const overlap = longestMatch ?? leastWindow
  const size = Math.max(leastWindow, 2 * overlap)
  let isDenied = false
  for (let start = 0; start < whole.length && !isDenied; start += size - overlap) {
    const piece = whole.slice(start, start + size)
    isDenied = !(await passes(piece))
    ok(!verdict || !isDenied, `it is windowed, passes a text, and fails "${piece}" of it`)
  }
  const mustFind = !verdict && typeof longestMatch === 'number'
  ok(!mustFind || isDenied, `it fails a text, and no window of it that shares ${overlap} with the next`)
}

const phaseOf = (check: Check, { phase }: CheckRun): Phase => phase ?? check.phases[0] ?? 'before'

/** A run leaves no state that affects another run. */
export async function repeatsItself(check: Check, sample: CheckRun): Promise<void> {
  const prepared = prepareCheck(check, sample.parameters ?? {}, sample.io?.settings)
  const io = createTestIo(sample.io)
  const once = (run: CheckRun) => within(async () => prepared.run(createTestInput(check, run), io))
  const first = await once(sample)
  for (const run of runsWith(check, sample, { text: 'something else', most: usualBodies })) await once(run)
  deepEqual(await once(sample), first)
}

/** The network never answers; only the signal ends the wait. The run can end with a verdict or an error. */
export async function stops(check: Check, sample: CheckRun): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const silence = () =>
    new Promise<never>((_, reject) => {
      const stop = () => reject(new Error('stopped'))
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  const network = { fetchJson: silence, fetch: silence, resolves: silence, chatComplete: silence }
  const io: Partial<CheckIo> = { ...sample.io, signal, ...network }
  const settled = runWithin(check, { ...sample, io }).catch((error: unknown) => error)
  controller.abort()
  const end = await settled
  if (end instanceof HangError) throw end
}
