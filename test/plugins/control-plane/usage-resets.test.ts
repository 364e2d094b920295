/** The job for usage resets: in the documents, in the audit log, and by deleting the counters of past periods. */
import { type UsageLimit, usageCounterKey } from '@gateway/domain'
import { expect } from 'chai'
import { createUsageResets } from '#control-plane/policies/usage-resets'
import { createMemoryStore } from '#store/memory/index'

const dayMs = 86_400_000
const monday = Date.parse('2026-11-23T00:00:00.000Z')
const nextMonday = '2026-11-30T00:00:00.000Z'

const limit = (parts: Partial<UsageLimit>): UsageLimit => ({
  type: 'cost',
  credit_limit: 1,
  alert_threshold: null,
  periodic_reset: null,
  periodic_reset_days: null,
  next_usage_reset_at: null,
  last_reset_at: null,
  ...parts,
})

const weekly = limit({ periodic_reset: 'weekly', next_usage_reset_at: '2026-11-23T00:00:00.000Z' })

describe('the usage reset job', () => {
  async function open() {
    const ports = createMemoryStore({ maxEntries: 10, maxBytes: 1000 })
    const clock = { now: monday - 1000 }
    const { counters, documents } = ports
    const context = { counters, documents, now: () => clock.now }
    const put = (kind: string, id: string, { data, status = 'active' }: { data: object; status?: string }) =>
      ports.documents.commit([
        {
          op: 'put',
          document: {
            kind,
            id,
            organisation_id: 'org',
            workspace_id: 'ws',
            slug: null,
            name: null,
            status,
            created_at: 0,
            last_updated_at: 0,
            keys: [],
            attributes: {},
            data: data as never,
          },
        },
      ])
    const job = createUsageResets(context)
    const runAt = (nowMs: number) => {
      clock.now = nowMs
      return job.run(nowMs)
    }
    const limitsOf = async (kind: string, id: string) =>
      (await ports.documents.get(kind, id))?.data.usage_limits as unknown as UsageLimit[]
    const audits = async () =>
      (await ports.documents.scan('audit', null, 100)).map(({ data }) => [
        data.action,
        data.resource_type,
        data.resource_id,
        data.user_type,
      ])
    return { ports, put, runAt, limitsOf, audits }
  }

  it('records when a limit was reset, and its next reset', async () => {
    const { put, runAt, limitsOf, audits, ports } = await open()
    await put('api_key', 'k1', {
      data: { usage_limits: [weekly, limit({ type: 'tokens' })], last_reset_at: null },
    })
    await runAt(monday - 1000)
    expect(await limitsOf('api_key', 'k1')).to.deep.equal([weekly, limit({ type: 'tokens' })])
    await runAt(monday)
    const [first, second] = await limitsOf('api_key', 'k1')
    expect(first).to.deep.include({
      last_reset_at: '2026-11-23T00:00:00.000Z',
      next_usage_reset_at: nextMonday,
    })
    expect(second).to.deep.equal(limit({ type: 'tokens' }))
    expect((await ports.documents.get('api_key', 'k1'))?.data.last_reset_at).to.equal(
      '2026-11-23T00:00:00.000Z',
    )
    expect(await audits()).to.deep.equal([['reset', 'api-key', 'k1', 'system']])
  })

  it('runs once per period, and catches up on missed resets', async () => {
    const { put, runAt, limitsOf, audits } = await open()
    await put('workspace', 'w1', { data: { usage_limits: [weekly], last_reset_at: null } })
    await runAt(monday + 16 * dayMs)
    await runAt(monday + 16 * dayMs + 60_000)
    await runAt(monday + 17 * dayMs)
    expect((await limitsOf('workspace', 'w1'))[0]?.last_reset_at).to.equal('2026-12-07T00:00:00.000Z')
    expect(await audits()).to.have.length(1)
  })

  it('skips archived objects', async () => {
    const { put, runAt, limitsOf } = await open()
    await put('provider', 'p1', { data: { usage_limits: [weekly] }, status: 'archived' })
    await runAt(monday)
    expect(await limitsOf('provider', 'p1')).to.deep.equal([weekly])
  })

  it('deletes the counters of the past period, for all groups of a policy, and no others', async () => {
    const { put, runAt, ports } = await open()
    await put('usage_limit_policy', 'u1', { data: { ...weekly, conditions: [], group_by: [] } })
    const owner = 'policies/usage-limits/u1'
    const old = usageCounterKey(owner, weekly, monday - 1)
    const current = usageCounterKey(owner, weekly, monday)
    expect(old).to.not.equal(current)
    const keys = [`${old}:a:1`, `${old}:b:2`, `${current}:a:1`]
    await ports.counters.seed(
      [...keys, 'usage:policies/usage-limits/u2:cost:0'].map((key) => ({ key, used: 3 })),
    )
    await runAt(monday)
    const readings = await ports.counters.read(
      [...keys, 'usage:policies/usage-limits/u2:cost:0'].map((key) => ({ key, window: null })),
      monday,
    )
    expect(readings.map(({ used }) => used)).to.deep.equal([0, 0, 3, 3])
  })
})
