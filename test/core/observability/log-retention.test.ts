/** Request logs are deleted after their retention, however many there are. */
import type { DocumentDraft, LogEntry } from '@gateway/contract'
import { expect } from 'chai'
import { logRetention } from '#core/observability/log-retention'
import { createMemoryDocuments } from '#store/memory/documents'
import { createMemoryLog } from '#store/memory/log'

const dayMs = 86_400_000
const entry = (id: string, createdAt: number, organisation = 'organisation'): LogEntry => ({
  id,
  created_at: createdAt,
  organisation_id: organisation,
  workspace_id: null,
  fields: {},
  metadata: {},
  details: {},
  bodies: null,
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
    (await log.list({}, { limit: 100 })).map(({ id }) => id)

  const retention = (log: Awaited<ReturnType<typeof fill>>, days: number) =>
    logRetention({ log, documents: createMemoryDocuments(), days: () => days, metricsDays: () => 365 })

  it('removes entries older than 30 days, and keeps the others', async () => {
    const log = await fill()
    await retention(log, 30).run(now)
    expect(await idsOf(log)).to.deep.equal(['kept'])
  })

  it('uses the setting in the config file', async () => {
    const log = await fill()
    await retention(log, 7).run(now)
    expect(await idsOf(log)).to.deep.equal([])
  })

  const organisation = (id: string, logsDays: number | null): DocumentDraft => ({
    kind: 'organisation',
    id,
    organisation_id: id,
    workspace_id: null,
    slug: id,
    name: id,
    status: 'active',
    created_at: 0,
    last_updated_at: 0,
    keys: [],
    attributes: {},
    data: { settings: { retention: logsDays === null ? null : { logs_days: logsDays } } },
  })

  it('is shorter for an organisation with a shorter setting, never longer, and for no other one', async () => {
    const documents = createMemoryDocuments()
    const ownDays = { short: 7, long: 90, silent: null }
    for (const [id, days] of Object.entries(ownDays)) {
      await documents.commit([{ op: 'put', document: organisation(id, days) }])
    }
    const log = createMemoryLog({ maxEntries: 100 })
    for (const id of Object.keys(ownDays)) {
      await log.append([6, 8, 31].map((days) => entry(`${id}-${days}`, now - days * dayMs, id)))
    }
    await logRetention({ log, documents, days: () => 30, metricsDays: () => 365 }).run(now)
    expect((await idsOf(log)).sort()).to.deep.equal(['long-6', 'long-8', 'short-6', 'silent-6', 'silent-8'])
  })
})
