/** The keys of a config node that its targets do not inherit. */
import { expect } from 'chai'
import { openScene, type Reply, tree } from '../../support/scene.ts'

const wordCount = (id: string) => ({ id, wordCount: { maxWords: 0, not: true } })

describe('a config node does not pass on', () => {
  const scene = openScene(() => ({ providers: { stored: { provider: 'echo' } } }))
  const beforeIds = ({ body }: Reply) => {
    const results = body.hook_results as { before_request_hooks?: { id: string }[] } | undefined
    return (results?.before_request_hooks ?? []).map(({ id }) => id)
  }
  const nothing = { request_timeout: 60_000 }

  const providers: Record<string, Record<string, unknown>> = {
    'provider and api_key': { provider: 'openai', api_key: 'sk-top' },
    'a stored provider': { provider: '@stored' },
    virtual_key: { virtual_key: 'stored' },
    'a provider that needs no credential': { provider: 'echo' },
  }
  for (const [what, keys] of Object.entries(providers)) {
    it(what, async () => {
      const { status, error } = await scene.ask({ ...tree('single', [nothing]), ...keys })
      expect({ status, code: error.code }).to.deep.equal({ status: 400, code: 'no_provider' })
    })
  }

  it('its credentials', async () => {
    const own = { compat_organization: 'org-top', compat_project: 'proj-top', api_key: 'sk-top' }
    await scene.ask({ ...tree('single', [scene.leaf('a', { api_key: 'sk-leaf' })]), ...own })
    const { headers } = scene.seen('a')
    expect(headers.authorization).to.equal('Bearer sk-leaf')
    expect(headers['openai-organization']).to.equal(undefined)
    expect(headers['openai-project']).to.equal(undefined)
  })

  it('but sends its provider the members next to them', async () => {
    await scene.ask(scene.leaf('a', { compat_organization: 'org', compat_project: 'proj' }))
    expect(scene.seen('a').headers).to.include({ 'openai-organization': 'org', 'openai-project': 'proj' })
  })

  for (const key of ['input_guardrails', 'before_request_hooks']) {
    const items = (id: string) => [
      key === 'input_guardrails'
        ? wordCount(id)
        : { id, checks: [{ id: 'default.wordCount', parameters: { maxWords: 0, not: true } }] },
    ]
    it(`its ${key}: those of each node run once, from the root down`, async () => {
      const reply = await scene.ask({
        ...tree('fallback', [scene.leaf('a', { [key]: items('leaf') }), scene.leaf('b')]),
        [key]: items('root'),
      })
      expect(beforeIds(reply)).to.deep.equal(['root', 'leaf'])
    })

    it(`its ${key}: they do not run again for the next target`, async () => {
      scene.answers = { a: 500 }
      const reply = await scene.ask({
        ...tree('fallback', [scene.leaf('a', { [key]: items('first') }), scene.leaf('b')]),
        [key]: items('root'),
      })
      expect(reply.index).to.equal('config.targets[1]')
      expect(beforeIds(reply)).to.deep.equal(['root'])
    })
  }

  describe('its cache:', () => {
    const cache = { cache: { mode: 'simple' } }
    const status = async (config: unknown) => (await scene.ask(config)).headers.get('x-gateway-cache-status')

    it('a target of a cached node has no cache', async () => {
      const leaf = scene.leaf('cached-above')
      const config = { ...tree('single', [leaf]), ...cache }
      expect([await status(config), await status(config)]).to.deep.equal(['MISS', 'HIT'])
      expect([await status(leaf), await status(leaf)]).to.deep.equal(['DISABLED', 'DISABLED'])
      expect(scene.calls()).to.have.length(3)
    })

    it('the cache of one target does not apply to the next', async () => {
      scene.answers = { 'cached-first': 500 }
      const config = tree('fallback', [scene.leaf('cached-first', cache), scene.leaf('plain-second')])
      expect([await status(config), await status(config)]).to.deep.equal(['DISABLED', 'DISABLED'])
      expect(scene.calls().filter((name) => name === 'plain-second')).to.have.length(2)
    })

    it('the cache of a target is read when that target is called', async () => {
      const config = tree('fallback', [scene.leaf('down'), scene.leaf('cached-second', cache)])
      scene.answers = { down: 500 }
      const [first, second] = [await scene.ask(config), await scene.ask(config)]
      expect([first, second].map(({ headers }) => headers.get('x-gateway-cache-status'))).to.deep.equal([
        'MISS',
        'HIT',
      ])
      expect(second.index).to.equal('config.targets[1]')
      expect(scene.calls()).to.deep.equal(['down', 'cached-second', 'down'])
    })
  })
})
