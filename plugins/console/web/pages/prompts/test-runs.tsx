/** Runs of a prompt's test cases on its versions, which the page shows and the dialog before publishing reads. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Row, send } from '../../api.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { type Expected, expectedWords, failuresOf, type TestCase } from '../../parts/expected.tsx'
import { asApiError } from '../../query.tsx'

/** Of one case and one version. */
export interface Result {
  answer: string
  /** A sentence each; none: the case passed. */
  failures: readonly string[]
}

export interface TestRuns {
  resultOf(version: number, one: TestCase): Result | undefined
  /** Forgets the results of these cases, then runs them again. A further call stops the one before it. */
  run(versions: readonly number[], cases: readonly TestCase[]): Promise<void>
  isBusy: boolean
}

/** The cases as they are saved. */
export const savedCases = (row: Row): TestCase[] =>
  rowsOf(row.test_cases).map((one) => ({
    name: String(one.name),
    variables: rowOf(one.variables),
    expected: rowsOf(one.expected).flatMap(expectedOf),
  }))

const expectedOf = ({ type, value }: Row): Expected[] =>
  Object.keys(expectedWords).flatMap((kind) =>
    kind === type
      ? [{ type: kind as Expected['type'], ...(typeof value === 'string' ? { value } : {}) }]
      : [],
  )

/** A result is that of a case as it was: a changed case has none. */
const keyOf = (version: number, one: TestCase) => `${version} ${JSON.stringify(one)}`

export function useTestRuns(row: Row): TestRuns {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const [isBusy, setBusy] = useState(false)
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])
  const run = async (versions: readonly number[], cases: readonly TestCase[]) => {
    control.current?.abort()
    const current = new AbortController()
    control.current = current
    const pairs = versions.flatMap((version) => cases.map((one) => ({ version, one })))
    const stale = new Set(pairs.map(({ version, one }) => keyOf(version, one)))
    setResults((old) => new Map([...old].filter(([key]) => !stale.has(key))))
    setBusy(true)
    // One after the other: a provider's rate limit is for applications.
    for (const { version, one } of pairs) {
      const result = await runCase(row, version, one, current.signal)
      if (current.signal.aborted) return
      setResults((old) => new Map(old).set(keyOf(version, one), result))
    }
    setBusy(false)
  }
  return { resultOf: (version, one) => results.get(keyOf(version, one)), run, isBusy }
}

/** The text of a chat or a completion. */
function answerText(body: unknown): string {
  const [choice] = rowsOf(rowOf(body).choices)
  const text = rowOf(choice?.message).content ?? choice?.text
  return typeof text === 'string' ? text : JSON.stringify(text ?? '')
}

async function runCase(row: Row, version: number, one: TestCase, signal: AbortSignal): Promise<Result> {
  const workspace = typeof row.workspace_id === 'string' ? { 'x-gateway-workspace-id': row.workspace_id } : {}
  try {
    const path = `/v1/prompts/${encodeURIComponent(`${String(row.slug)}@${version}`)}/completions?envelope=false`
    const response = await send('POST', path, { variables: one.variables }, { headers: workspace, signal })
    const answer = answerText(await response.json())
    return { answer, failures: await failuresOf(answer, one.expected) }
  } catch (fault) {
    return { answer: '', failures: [asApiError(fault).message] }
  }
}
