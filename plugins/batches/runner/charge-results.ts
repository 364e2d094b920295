/**
 * Charges a provider's answers to the lines of its batch: each answer goes through the outbound pipeline, which checks,
 * prices and logs it.
 */
import type { BatchResult, JsonObject } from '@gateway/contract'
import type { BatchLine } from './check-lines.ts'
import { sumsOf, totalsOf } from './common.ts'
import { atOnce, chunksOf, type Work } from './provider-work.ts'
import { askLine, type LineCaller, refusedLine, resultOf } from './run-line.ts'

/** Answers arrive in the provider's order. The input is read only as far as needed to find the line of each. */
export async function chargeResults(work: Work, results: AsyncGenerator<BatchResult>): Promise<void> {
  const input = linesWithout(work)
  const passed = new Map<string, BatchLine>()
  const find = async (key: string): Promise<BatchLine | null> => {
    const known = passed.get(key)
    if (known !== undefined) {
      passed.delete(key)
      return known
    }
    for (;;) {
      const step = await input.next()
      if (step.done === true) return null
      const passedKey = work.calls.keyOf(step.value)
      if (passedKey === key) return step.value
      passed.set(passedKey, step.value)
    }
  }
  let group: Promise<void>[] = []
  for await (const result of results) {
    if (work.leave.aborted) break
    const line = await find(result.key)
    if (line === null) continue
    group.push(chargeOne(work, line, result))
    if (group.length < atOnce) continue
    await Promise.all(group)
    group = []
  }
  await Promise.all(group)
  await input.return(undefined)
}

async function* linesWithout(work: Work): AsyncGenerator<BatchLine, undefined> {
  for await (const lines of chunksOf(work)) yield* lines
}

/**
 * Charges the usage of a batch that a caller created at the provider. Its input is not read, and nothing else is
 * stored.
 */
export async function chargeWatched(work: Work, details: JsonObject): Promise<'done' | 'left'> {
  const { parts, batch, calls, done, leave } = work
  const { context, batches, handOver } = parts
  let number = 0
  for await (const result of calls.results(details)) {
    if (leave.aborted) return 'left'
    number += 1
    if (done.has(number)) continue
    const { answer, key } = result
    const model =
      'body' in answer && typeof answer.body.model === 'string' ? { model: answer.body.model } : {}
    const body = {
      ...model,
      messages: [{ role: 'user', content: ' ' }],
      prompt: '',
      input: ' ',
      max_tokens: 1,
    }
    await chargeOne(work, { number, customId: key, body }, result)
  }
  const sums = await totalsOf(parts, batch.id)
  await batches.change(batch.id, ({ data }) => ({
    status: 'completed',
    data: { ...sumsOf(data, sums), times: { ...data.times, completed_at: context.now() } },
  }))
  await handOver.all()
  await context.work.clear(batch.id)
  return 'done'
}

async function chargeOne(work: Work, line: BatchLine, { answer }: BatchResult): Promise<void> {
  const { parts, batch, headers, commits, done } = work
  if ('code' in answer) await commits.add(refusedLine(batch.id, line, answer))
  else {
    const caller: LineCaller = { batch, headers, signal: new AbortController().signal }
    const charged = await askLine(parts.context, caller, {
      line,
      provider: { isTrial: false, answer: async () => answer },
    })
    await commits.add(resultOf(batch.id, line, charged))
  }
  done.add(line.number)
}
