/** `custom_host` and `x-gateway-custom-host`: which one wins, and which credentials may be sent there. */
import { expect } from 'chai'
import { chat, startGateway } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('a custom host', () => {
  const scene = openScene((origin) => ({
    providers: {
      stored: { provider: 'openai', api_key: 'sk-stored', custom_host: `${origin}/stored/v1` },
      public: { provider: 'openai', api_key: 'sk-stored' },
      house: { provider: 'openai', api_key: 'none', custom_host: `${origin}/house/v1/` },
    },
    configs: {
      'with-secret': { provider: 'openai', api_key: 'sk-saved', custom_host: `${origin}/saved/v1` },
      'deep-secret': tree('single', [{ provider: 'openai', api_key: 'sk-saved' }]),
      'without-secret': { provider: 'openai', custom_host: `${origin}/saved/v1` },
      'with-slug': { provider: '@stored' },
      open: { passthrough: true },
    },
  }))
  const header = (host: string) => ({ 'x-gateway-custom-host': host })
  const ask = (config: unknown, headers: Record<string, string> = {}, model = 'm') =>
    scene.ask(config, { headers, body: chat('hi', { model }) })

  describe('from the request', () => {
    const trees: Record<string, () => unknown> = {
      'a leaf': () => scene.leaf('a'),
      'the targets below': () => tree('single', [tree('single', [scene.leaf('a')])]),
      'all nodes of a tree': () => ({
        ...tree('single', [{ provider: 'openai', api_key: 'k', custom_host: scene.hostOf('a') }]),
        custom_host: scene.hostOf('b'),
      }),
    }
    for (const [what, config] of Object.entries(trees)) {
      it(`overrides that of ${what}`, async () => {
        expect((await ask(config(), header(scene.hostOf('mine')))).status).to.equal(200)
        expect(scene.calls()).to.deep.equal(['mine'])
      })
    }

    it('applies to every target of a fallback', async () => {
      scene.answers = { mine: [500, 200] }
      const reply = await ask(
        tree('fallback', [scene.leaf('a'), scene.leaf('b')]),
        header(scene.hostOf('mine')),
      )
      expect(reply.index).to.equal('config.targets[1]')
      expect(scene.calls()).to.deep.equal(['mine', 'mine'])
    })

    it("receives the caller's own credential", async () => {
      await ask(scene.leaf('a', { api_key: 'sk-mine' }), header(scene.hostOf('mine')))
      expect(scene.seen('mine').headers.authorization).to.equal('Bearer sk-mine')
    })
  })

  for (const slashes of ['/', '///']) {
    it(`can end with ${slashes}`, async () => {
      await ask(scene.leaf('a', { custom_host: scene.hostOf('a') + slashes }))
      await ask(scene.leaf('b'), header(scene.hostOf('a') + slashes))
      await ask({ provider: '@house' })
      const paths = scene.upstream.seen.slice(-3).map(({ path }) => path)
      expect(paths).to.deep.equal([
        '/a/v1/chat/completions',
        '/a/v1/chat/completions',
        '/house/v1/chat/completions',
      ])
    })
  }

  for (const rest of ['?key=1', '#part', '/?']) {
    it(`is refused with ${rest}, after which no path can follow`, async () => {
      const host = scene.hostOf('a') + rest
      const inConfig = await ask(scene.leaf('a', { custom_host: host }))
      expect(inConfig.error).to.include({ code: 'host_not_allowed', param: 'config/custom_host' })
      const inHeader = await ask(scene.leaf('b'), header(host))
      expect([inHeader.status, inHeader.error.code]).to.deep.equal([400, 'host_not_allowed'])
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('receives no credential with api_key none', async () => {
    await ask(scene.leaf('a', { api_key: 'none' }))
    expect(scene.seen('a').headers.authorization).to.equal(undefined)
    await ask({ provider: '@house' })
    expect(scene.seen('house').headers.authorization).to.equal(undefined)
  })

  it('needs no credential', async () => {
    expect((await ask({ provider: 'openai', custom_host: scene.hostOf('a') })).status).to.equal(200)
    expect(scene.seen('a').headers.authorization).to.equal(undefined)
  })

  describe('never receives a stored credential:', () => {
    const mine = () => scene.hostOf('mine')
    const rows: [what: string, ask: () => ReturnType<typeof ask>, param: string][] = [
      [
        'by provider in a config',
        () => ask({ provider: '@stored', custom_host: mine() }),
        'config/custom_host',
      ],
      [
        'by virtual_key in a config',
        () => ask({ virtual_key: 'stored', custom_host: mine() }),
        'config/custom_host',
      ],
      [
        'by model in a config',
        () => ask({ override_params: { model: '@stored/m' }, custom_host: mine() }),
        'config/custom_host',
      ],
      [
        'with a host from above',
        () => ask({ ...tree('single', [{ provider: '@stored' }]), custom_host: mine() }),
        'config/custom_host',
      ],
      ['without its own host', () => ask({ provider: '@public', custom_host: mine() }), 'config/custom_host'],
      [
        'by a config, the host in the header',
        () => ask({ provider: '@stored' }, header(mine())),
        'header/x-gateway-custom-host',
      ],
      [
        'by a saved config, the host in the header',
        () => ask(null, { 'x-gateway-config': 'with-slug', ...header(mine()) }),
        'header/x-gateway-custom-host',
      ],
      [
        'by a header',
        () => ask(null, { 'x-gateway-virtual-key': 'stored', ...header(mine()) }),
        'header/x-gateway-custom-host',
      ],
      ['by the model', () => ask(null, header(mine()), '@stored/m'), 'header/x-gateway-custom-host'],
      [
        'by a header, the host in the config',
        () => ask({ passthrough: true, custom_host: mine() }, { 'x-gateway-provider': '@stored' }),
        'config/custom_host',
      ],
      [
        'by a header, the host above in the config',
        () =>
          ask(
            { ...tree('single', [{ passthrough: true }]), custom_host: mine() },
            { 'x-gateway-provider': '@stored' },
          ),
        'config/custom_host',
      ],
      [
        'in a saved config',
        () => ask(null, { 'x-gateway-config': 'with-secret', ...header(mine()) }),
        'header/x-gateway-custom-host',
      ],
      [
        'in a nested target of a saved config',
        () => ask(null, { 'x-gateway-config': 'deep-secret', ...header(mine()) }),
        'header/x-gateway-custom-host',
      ],
    ]
    for (const [what, run, param] of rows) {
      it(what, async () => {
        const { status, error } = await run()
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 400,
          code: 'host_not_allowed',
          param,
        })
        expect(scene.calls()).to.deep.equal([])
      })
    }

    it('and a fallback continues with the next target', async () => {
      const config = tree('fallback', [{ provider: '@stored' }, scene.leaf('a')])
      const reply = await ask(config, header(mine()))
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      expect(scene.seen('mine').headers.authorization).to.equal('Bearer sk-test')
    })
  })

  describe('is allowed together with a stored credential', () => {
    it('that has the same host, ignoring a trailing slash', async () => {
      for (const host of [scene.hostOf('stored'), `${scene.hostOf('stored')}/`]) {
        expect((await ask({ provider: '@stored' }, header(host))).status).to.equal(200)
        expect((await ask({ provider: '@stored', custom_host: host })).status).to.equal(200)
      }
      expect(scene.seen('stored').headers.authorization).to.equal('Bearer sk-stored')
    })

    it('that contains no secret', async () => {
      await ask({ provider: '@house' }, header(scene.hostOf('mine')))
      await ask(null, { 'x-gateway-config': 'without-secret', ...header(scene.hostOf('mine')) })
      expect(scene.calls()).to.deep.equal(['mine', 'mine'])
    })

    it('when a saved config leaves the credential to the request', async () => {
      await ask(null, {
        'x-gateway-config': 'open',
        'x-gateway-provider': 'openai',
        authorization: 'Bearer sk-own',
        ...header(scene.hostOf('mine')),
      })
      expect(scene.seen('mine').headers.authorization).to.equal('Bearer sk-own')
    })
  })

  describe('is refused', () => {
    const hosts = ['not a url', 'ftp://127.0.0.1/v1', 'http://user:pass@127.0.0.1/v1', 'http://10.0.0.1/v1']
    for (const host of hosts) {
      it(`as ${host}`, async () => {
        const inConfig = await ask(scene.leaf('a', { custom_host: host }))
        expect(inConfig.status).to.equal(400)
        expect(inConfig.error).to.include({ code: 'host_not_allowed', param: 'config/custom_host' })
        const inHeader = await ask(scene.leaf('a'), header(host))
        expect(inHeader.status).to.equal(400)
        expect(inHeader.error).to.include({ code: 'host_not_allowed', param: 'header/x-gateway-custom-host' })
        expect(scene.calls()).to.deep.equal([])
      })
    }
  })

  it('must pass the host guard as the storage URL of a credential in the config file', async () => {
    const configurations = {
      aws_auth_type: 'accessKey',
      aws_region: 'us-east-1',
      aws_access_key_id: 'AKIA0123',
      aws_secret_access_key: 'secret',
      storage_host: 'http://10.0.0.1',
    }
    const faults = await startGateway({ providers: { files: { provider: 'bedrock', configurations } } }).then(
      () => 'it started',
      String,
    )
    expect(faults).to.include('/providers/files/configurations/storage_host')
    expect(faults).to.include('host_not_allowed')
  })
})
