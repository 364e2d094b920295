/** Tables of guarantees for callers: each row is a test, and the published page shows its result. */
import { strictEqual } from 'node:assert'

export interface Row {
  /** The cells of the row, one for each column. */
  cells: readonly string[]
  run(): Promise<void>
}

export interface Table {
  title: string
  text: string
  columns: readonly string[]
  rows: readonly Row[]
}

interface RowResult {
  cells: readonly string[]
  hasPassed: boolean
}

/** Results by the title of the table. */
export type Results = Map<string, RowResult[]>

/** Creates a test for each row, and records its result. */
export function describeTable({ title, rows }: Table, results: Results): void {
  const ended: RowResult[] = []
  results.set(title, ended)
  describe(title, () => {
    for (const { cells, run } of rows) {
      it(cells.join(', '), async () => {
        const result = { cells, hasPassed: false }
        ended.push(result)
        await run()
        result.hasPassed = true
      })
    }
    it('has every row once', () => {
      strictEqual(new Set(ended.map(({ cells }) => cells.join())).size, rows.length)
    })
  })
}
