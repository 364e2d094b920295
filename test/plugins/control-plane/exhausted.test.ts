/** Lists by status separate exhausted objects from others, like the objects themselves. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const once = { type: 'requests', credit_limit: 1 }

describe('lists by status', () => {
  const admin = openManagement({ providers: { echo: { provider: 'echo' } } })
  const idsOf = async (path: string) => {
    const { body, data } = await admin.get(path)
    return { total: body.total, ids: data.map(({ id }) => id) }
  }

  describe('of API keys', () => {
    const used: unknown[] = []
    const unused: unknown[] = []
    /** Newest first, as lists are. */
    const all: unknown[] = []
    before(async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const { body } = await admin.post('/v1/api-keys/workspace/service', {
          name: `budget ${name}`,
          workspace_id: 'default',
          scopes: ['completions.write'],
          usage_limits: once,
        })
        const isUsed = 'abe'.includes(name)
        if (isUsed) {
          const request = chat('hello', { model: '@echo/echo-1' })
          const answer = await admin.as(String(body.key)).post('/v1/chat/completions', request)
          expect(answer.status, answer.text).to.equal(200)
        }
        for (const list of [all, isUsed ? used : unused]) list.unshift(body.id)
      }
    })
    const query = (status: string, more = '') => `/v1/api-keys?search=budget&status=${status}${more}`

    it('return exhausted keys with the status exhausted', async () => {
      const { data } = await admin.get(query('exhausted'))
      expect(data.map(({ id, status }) => [id, status])).to.deep.equal(used.map((id) => [id, 'exhausted']))
    })

    it('exclude them from active keys', async () => {
      expect(await idsOf(query('active'))).to.deep.equal({ total: 3, ids: unused })
    })

    it('return both when both are requested, and by default', async () => {
      expect(await idsOf(query('active,exhausted'))).to.deep.equal({ total: 6, ids: all })
      expect(await idsOf('/v1/api-keys?search=budget')).to.deep.equal({ total: 6, ids: all })
    })

    it('are paged', async () => {
      for (const [status, expected] of [
        ['active', unused],
        ['exhausted,expired', used],
      ] as const) {
        const pages = await Promise.all(
          [0, 1, 2, 3].map((page) => idsOf(query(status, `&page_size=1&current_page=${page}`))),
        )
        expect(pages.flatMap(({ ids }) => ids)).to.deep.equal(expected)
        expect(pages.map(({ total }) => total)).to.deep.equal([3, 3, 3, 3])
      }
    })

    it('combine with the other filters', async () => {
      const ids = [used[0], unused[0]].join(',')
      expect((await idsOf(query('exhausted', `&ids=${ids}`))).ids).to.deep.equal([used[0]])
      expect((await idsOf(query('active', `&ids=${ids}`))).ids).to.deep.equal([unused[0]])
    })

    it('reflect a reset', async () => {
      const [first, ...others] = used
      await admin.put(`/v1/api-keys/${first}`, { reset_usage: true })
      expect((await idsOf(query('exhausted'))).ids).to.deep.equal(others)
      expect((await idsOf(query('active'))).ids).to.have.members([first, ...unused])
    })
  })

  it('work the same for providers and virtual keys', async () => {
    const integration = await admin.post('/v1/integrations', {
      name: 'echo with budgets',
      ai_provider_id: 'echo',
      workspace_id: 'default',
      create_default_provider: false,
    })
    const make = async (slug: string) =>
      (
        await admin.post('/v1/providers', {
          name: slug,
          slug,
          integration_id: integration.body.id,
          workspace_id: 'default',
          usage_limits: once,
        })
      ).body.id
    const [used, unused] = [await make('spent'), await make('unspent')]
    await admin.post('/v1/chat/completions', chat('hello', { model: '@spent/echo-1' }))
    for (const path of ['/v1/providers', '/v1/virtual-keys']) {
      expect((await idsOf(`${path}?status=exhausted`)).ids).to.deep.equal([used])
      expect((await idsOf(`${path}?status=active`)).ids)
        .to.include(unused)
        .and.not.to.include(used)
    }
  })
})
