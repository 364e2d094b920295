/** Request logs go when their time is over, however many there are. */
import type { LogEntry } from '@gateway/core/contract'
import { expect } from 'chai'
import { logRetention } from '#core/log-retention'
import { createMemoryLog } from '#core/state/memory-log'

const dayMs = 86_400_000
const entry = (id: string, createdAt: number): LogEntry => ({
  id,
  created_at: createdAt,
  organisation_id: 'organisation',
  workspace_id: null,
  fields: {},
  data: {},
})

describe('the retention of request logs', () => {
  const now = 1000 * dayMs
  const fill = async () => {
    const log = createMemoryLog({ maxEntries: 20_000 })
    await log.append(Array.from({ length: 12_000 }, (_, index) => entry(`old-${index}`, now - 31 * dayMs)))
    await log.append([entry('kept', now - 29 * dayMs)])
    return log
  }
  const idsOf = async (log: Awaited<ReturnType<typeof fill>>) =>
    (await log.list({}, null, 100)).map(({ id }) => id)

  it('removes what is older than 30 days, and keeps the rest', async () => {
    const log = await fill()
    await logRetention(log, () => null).run(now)
    expect(await idsOf(log)).to.deep.equal(['kept'])
  })

  it('follows the config file', async () => {
    const log = await fill()
    await logRetention(log, () => 7).run(now)
    expect(await idsOf(log)).to.deep.equal([])
  })
})
