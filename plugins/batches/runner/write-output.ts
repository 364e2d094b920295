/** Writes the output and error files of a batch from its results, in the order of the input. */
import type { Work } from '@gateway/contract'
import type { LineResult } from './run-line.ts'
import { unpackResult } from './totals.ts'

const pageSize = 500

type Kept = Pick<LineResult, 'isFailed' | 'usage' | 'text'>

/** All results, page by page. */
export async function* eachResult(work: Pick<Work, 'results'>, id: string): AsyncGenerator<Kept> {
  for (let after = 0; ; ) {
    const page = await work.results(id, after, pageSize)
    for (const { data } of page) yield unpackResult(data)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last.position
  }
}

/** Lines of one of the two files. Empty if it has none. */
export async function* linesOf(
  work: Pick<Work, 'results'>,
  id: string,
  isFailed: boolean,
): AsyncGenerator<Uint8Array> {
  let held: string[] = []
  for await (const result of eachResult(work, id)) {
    if (result.isFailed !== isFailed) continue
    held.push(`${result.text}\n`)
    if (held.length < 100) continue
    yield Buffer.from(held.join(''))
    held = []
  }
  if (held.length > 0) yield Buffer.from(held.join(''))
}
