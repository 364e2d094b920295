/**
 * The test kit for check authors: a table of cases, and the requirements for every check, registered through the
 * `describe` and `it` of the test runner (mocha, or any other with these globals).
 */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import type { Check, GuardrailPlugin, JsonObject } from '@gateway/contract'
import { checkConformance, type HardText } from './check-conformance.ts'
import { type CheckRun, runCheck } from './run-check.ts'
import { isTruthful } from './run-requirements.ts'

/** The expectation of a case: a verdict with its details, or an error. */
export type Expectation =
  | {
      verdict: boolean
      /** The complete data of the result. */
      data?: unknown
      /** The texts after the change, joined with newlines; null if nothing was changed. */
      transformedText?: string | null
      /** The whole body after the change. */
      transformed?: JsonObject
    }
  | {
      /** A part of the message with which the parameters are refused, or the check fails. */
      error: string
    }

/** One row of the table, without the check's id. */
export type CheckRow = CheckRun & Expectation & { name: string }

export type CheckCase = CheckRow & { check: string }

/** Adds a check's id and its common members to each of its rows. */
export function casesOf(check: string, rows: readonly CheckRow[], common: CheckRun = {}): CheckCase[] {
  return rows.map((row) => ({ ...common, ...row, check }))
}

export interface DescribeOptions {
  /** The texts for which a check throws, as documented in its description, by check id. */
  throwsOn?: Readonly<Record<string, readonly HardText[]>>
  /** Whether each parameter needs a passing and a failing case (for a mutator, any case). */
  everyParameter?: boolean
}

/**
 * The timeout of one test, in milliseconds, because huge texts take time. For runners that read a timeout from `this`.
 */
const limitMs = 20_000

interface Runner {
  describe(title: string, body: (this: { timeout?: (limitMs: number) => unknown } | undefined) => void): void
  it(title: string, test: () => Promise<void>): void
}

/** Registers the tests of a plugin; every check needs a case with valid parameters. */
export function describeChecks(
  plugin: GuardrailPlugin,
  cases: readonly CheckCase[],
  { throwsOn = {}, everyParameter = false }: DescribeOptions = {},
): void {
  // The test runner defines these globals; this package depends on none.
  const { describe, it } = globalThis as unknown as Runner
  const ids = plugin.checks.map(({ id }) => id)
  for (const { check } of cases) ok(ids.includes(check), `there is no check "${check}" in ${plugin.name}`)
  const samples = new Map<string, CheckRun[]>()
  for (const row of cases)
    if ('verdict' in row) samples.set(row.check, [...(samples.get(row.check) ?? []), row])
  const requirements = checkConformance(plugin, Object.fromEntries(samples), throwsOn)
  describe(plugin.name, function () {
    this?.timeout?.(limitMs)
    for (const { title, test } of requirements.filter(({ check }) => check === null)) it(title, test)
  })
  for (const check of plugin.checks) {
    describe(`${plugin.name}.${check.id}`, function () {
      this?.timeout?.(limitMs)
      const rows = cases.filter((candidate) => candidate.check === check.id)
      for (const row of rows) it(row.name, () => testCase(check, row))
      if (everyParameter) it('has cases for every parameter', async () => coversParameters(check, rows))
      for (const requirement of requirements.filter((candidate) => candidate.check === check.id))
        it(requirement.title, () => requirement.test())
    })
  }
}

function coversParameters(check: Check, rows: readonly CheckRow[]): void {
  const verdicts = check.kind === 'mutator' ? [] : [true, false]
  for (const name of Object.keys(check.parameters.properties ?? {})) {
    const own = rows.filter(({ parameters = {} }) => name in parameters)
    ok(own.length > 0, `no case has ${name}`)
    for (const verdict of verdicts) {
      const isThere = own.some((row) => 'verdict' in row && row.verdict === verdict)
      ok(isThere, `no case with ${name} ${verdict ? 'passes' : 'fails'}`)
    }
  }
}

async function testCase(check: Check, row: CheckCase): Promise<void> {
  if ('error' in row) {
    await rejects(runCheck(check, row), (error) => {
      ok(error instanceof Error && error.message.includes(row.error), `"${error}" should say "${row.error}"`)
      return true
    })
    return
  }
  const outcome = await runCheck(check, row)
  equal(outcome.verdict, row.verdict, `verdict; data: ${JSON.stringify(outcome.data)}`)
  if (row.data !== undefined) deepEqual(JSON.parse(JSON.stringify(outcome.data ?? null)), row.data)
  if (row.transformed !== undefined) deepEqual(outcome.body, row.transformed)
  if (row.transformedText === null) equal(outcome.transformed, undefined, 'nothing is changed')
  else if (row.transformedText !== undefined) equal(outcome.text, row.transformedText)
  isTruthful(check, row, outcome)
}
