/**
 * Requirements for every check: one suite for the built-in checks and for those of plugin authors. It depends on no
 * test runner; `describeChecks` registers it with the available one.
 */
import type { Check, GuardrailPlugin } from '@gateway/contract'
import {
  copesWithItsParameters,
  describesItself,
  isLoaded,
  refusesBadParameters,
  refusesValuesBeyondBounds,
} from './parameter-requirements.ts'
import type { CheckRun } from './run-check.ts'
import {
  type HardText,
  hardTexts,
  judges,
  judgesStreams,
  quotesNothing,
  repeatsItself,
  stops,
} from './run-requirements.ts'

export type { HardText } from './run-requirements.ts'

/** One requirement. */
export interface Requirement {
  /** The check's id; null for a requirement of the whole plugin. */
  check: string | null
  title: string
  /** Rejects if the requirement is not met. */
  test(): Promise<void>
}

/**
 * Lists the requirements of a plugin and its checks. `samples` contains, by check id, runs with valid parameters (and
 * with answers from `io` if needed); the first one is used when a single run is enough.
 */
export function checkConformance(
  plugin: GuardrailPlugin,
  samples: Readonly<Record<string, readonly CheckRun[]>>,
  throwsOn: Readonly<Record<string, readonly HardText[]>> = {},
): Requirement[] {
  return [
    { check: null, title: 'is loaded by the gateway', test: async () => isLoaded(plugin) },
    ...plugin.checks.flatMap((check) =>
      requirementsOf(check, samples[check.id] ?? [], throwsOn[check.id] ?? []).map(([title, test]) => ({
        check: check.id,
        title,
        // A synchronous exception becomes a rejection.
        test: async () => test(),
      })),
    ),
  ]
}

type Row = [title: string, test: () => void | Promise<void>]

function requirementsOf(check: Check, runs: readonly CheckRun[], refusals: readonly HardText[]): Row[] {
  const [sample] = runs
  if (sample === undefined)
    return [['has a case', () => Promise.reject(new Error('no case shows valid parameters'))]]
  const names = (Object.keys(hardTexts) as (keyof typeof hardTexts)[]).filter(
    (name) => !refusals.includes(name),
  )
  return [
    ['describes itself and its parameters', () => describesItself(check)],
    ['refuses parameters that break its schema', () => refusesBadParameters(check, sample)],
    ['has limits for its numbers, and enforces them', () => refusesValuesBeyondBounds(check, sample)],
    ['handles every value that its schema accepts', () => copesWithItsParameters(check, sample)],
    ...names.map((name): Row => [`gives a verdict on ${name} text`, () => judges(check, sample, name)]),
    ...(check.phases.includes('after') && !refusals.includes('streamed')
      ? [
          [
            'gives the same verdict for a stream as for the whole text',
            () => judgesStreams(check, runs),
          ] satisfies Row,
        ]
      : []),
    ['does not quote the text that it denies', () => quotesNothing(check, sample)],
    ['gives the same verdict again after other runs', () => repeatsItself(check, sample)],
    ['stops when it is cancelled', () => stops(check, sample)],
  ]
}
