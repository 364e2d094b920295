/** Runs a prompt's test cases on its versions, for the page and for the dialog before publishing. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Row, send } from '../../api.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { type Expected, expectedWords, failuresOf, type TestCase } from '../../parts/expected.tsx'
import { asApiError } from '../../query.tsx'

/** The result of one case on one version. */
export interface Result {
  answer: string
  /** One sentence per failed expectation; empty if the case passed. */
  failures: readonly string[]
}

export interface TestRuns {
  resultOf(version: number, one: TestCase): Result | undefined
  /** Discards the results of these cases and runs them again. A later call stops an earlier one. */
  run(versions: readonly number[], cases: readonly TestCase[]): Promise<void>
  isBusy: boolean
}

/** The saved test cases. */
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

/** The key contains the case's content, so a changed case has no result. */
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
    // The cases run one at a time, because a provider's rate limit should be left to applications.
    for (const { version, one } of pairs) {
      const result = await runCase(row, version, { one, signal: current.signal })
      if (current.signal.aborted) return
      setResults((old) => new Map(old).set(keyOf(version, one), result))
    }
    setBusy(false)
  }
  return { resultOf: (version, one) => results.get(keyOf(version, one)), run, isBusy }
}

/** The text of an answer of chat or completions. */
function answerText(body: unknown): string {
  const [choice] = rowsOf(rowOf(body).choices)
  const text = rowOf(choice?.message).content ?? choice?.text
  return typeof text === 'string' ? text : JSON.stringify(text ?? '')
}

async function runCase(
  row: Row,
  version: number,
  { one, signal }: { one: TestCase; signal: AbortSignal },
): Promise<Result> {
  const workspace = typeof row.workspace_id === 'string' ? { 'x-gateway-workspace-id': row.workspace_id } : {}
  try {
    const path = `/v1/prompts/${encodeURIComponent(`${String(row.slug)}@${version}`)}/completions?envelope=false`
    const response = await send('POST', path, {
      body: { variables: one.variables },
      headers: workspace,
      signal,
    })
    const answer = answerText(await response.json())
    return { answer, failures: await failuresOf(answer, one.expected) }
  } catch (fault) {
    return { answer: '', failures: [asApiError(fault).message] }
  }
}
