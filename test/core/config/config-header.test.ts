/** `x-gateway-config`: an id or an object, and which config routes a request that has several. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene, readReply } from '../../support/scene.ts'

const hash = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`
const apiKey = (name: string, extra: object) => ({
  name,
  key_hash: hash(name),
  scopes: ['completions.write'],
  ...extra,
})

describe('the config of a request', () => {
  const scene = openScene((origin) => {
    const leaf = (name: string) => ({
      provider: 'openai',
      api_key: 'sk-test',
      custom_host: `${origin}/${name}/v1`,
    })
    return {
      configs: {
        saved: leaf('saved'),
        'of-key': leaf('key'),
        'of-workspace': leaf('workspace'),
        '123': leaf('digits'),
      },
      workspaces: {
        team: { defaults: { config_id: 'of-workspace', metadata: { team: 'red', by: 'workspace' } } },
        closed: { defaults: { config_id: 'of-workspace', allow_config_override: false } },
      },
      api_keys: [
        apiKey('plain', {}),
        apiKey('with-default', { defaults: { config_id: 'of-key' } }),
        apiKey('in-team', { workspace: 'team', defaults: { metadata: { by: 'key', user: 'ann' } } }),
        apiKey('in-team-with-default', { workspace: 'team', defaults: { config_id: 'of-key' } }),
        apiKey('fixed', { defaults: { config_id: 'of-key', allow_config_override: false } }),
        apiKey('in-closed', { workspace: 'closed' }),
      ],
    }
  })

  const ask = async (headers: Record<string, string>) =>
    readReply(await scene.gateway.post('/v1/chat/completions', chat(), headers))
  const inline = (name: string) => ({ 'x-gateway-config': JSON.stringify(scene.leaf(name)) })

  describe('is', () => {
    const rows: [what: string, headers: () => Record<string, string>, called: string][] = [
      ['a saved one, by its id', () => ({ 'x-gateway-config': 'saved' }), 'saved'],
      ['a saved one whose id could be a number', () => ({ 'x-gateway-config': '123' }), 'digits'],
      ['a saved one with spaces around its id', () => ({ 'x-gateway-config': '  saved ' }), 'saved'],
      ['the object in its header', () => inline('inline'), 'inline'],
      ['the default of the key', () => ({ 'x-gateway-api-key': 'with-default' }), 'key'],
      ['the default of the workspace', () => ({ 'x-gateway-api-key': 'in-team' }), 'workspace'],
      [
        'the default of the key before that of the workspace',
        () => ({ 'x-gateway-api-key': 'in-team-with-default' }),
        'key',
      ],
      [
        'its own before that of the key',
        () => ({ 'x-gateway-api-key': 'with-default', ...inline('inline') }),
        'inline',
      ],
      [
        'its own saved one before that of the workspace',
        () => ({ 'x-gateway-api-key': 'in-team', 'x-gateway-config': 'saved' }),
        'saved',
      ],
      ['read in any case of its name', () => ({ 'X-GATEWAY-CONFIG': 'saved' }), 'saved'],
    ]
    for (const [what, headers, called] of rows) {
      it(what, async () => {
        const reply = await ask(headers())
        expect(reply.status).to.equal(200)
        expect(scene.calls()).to.deep.equal([called])
      })
    }
  })

  for (const key of ['fixed', 'in-closed']) {
    it(`is refused when the key ${key} does not allow an inline config`, async () => {
      const reply = await ask({ 'x-gateway-api-key': key, ...inline('inline') })
      expect(reply.status).to.equal(400)
      expect(reply.error.param).to.equal('header/x-gateway-config')
      expect(scene.calls()).to.deep.equal([])
      expect((await ask({ 'x-gateway-api-key': key })).status).to.equal(200)
    })
  }

  it('matches the metadata that key and workspace enforce before the metadata of the request', async () => {
    const by = (value: string) => ({ query: { 'metadata.by': value, 'metadata.team': 'red' }, then: value })
    const config = {
      strategy: { mode: 'conditional', conditions: ['request', 'key', 'workspace'].map(by), default: 'none' },
      targets: ['request', 'key', 'workspace', 'none'].map((name) => scene.leaf(name, { name })),
    }
    const metadata = JSON.stringify({ by: 'request', team: 'blue' })
    await ask({
      'x-gateway-api-key': 'in-team',
      'x-gateway-config': JSON.stringify(config),
      'x-gateway-metadata': metadata,
    })
    expect(scene.calls()).to.deep.equal(['workspace'])
  })

  describe('is refused', () => {
    const unknown = ['nobody', 'no-such_config', 'a'.repeat(255)]
    for (const id of unknown) {
      it(`with 404 for an id that does not exist (${id.slice(0, 20)})`, async () => {
        const reply = await ask({ 'x-gateway-config': id })
        expect(reply.status).to.equal(404)
        expect(reply.error).to.include({
          type: 'not_found_error',
          code: 'unknown_config',
          param: 'header/x-gateway-config',
        })
      })
    }

    const malformed = [
      '{"provider":',
      '{provider: "echo"}',
      '[]',
      '[{"provider":"echo"}]',
      '"saved"',
      'null',
      'true',
      'neither id nor JSON',
      'provider=echo',
      'saved, saved',
    ]
    for (const text of malformed) {
      it(`with 400 for ${text}`, async () => {
        const reply = await ask({ 'x-gateway-config': text })
        expect(reply.status).to.equal(400)
        expect(reply.error.message).to.match(/^x-gateway-config: /)
        expect(reply.error).to.include({
          type: 'invalid_request_error',
          code: 'invalid_header',
          param: 'header/x-gateway-config',
        })
      })
    }

    it('with 400 and the JSON path when it breaks the schema', async () => {
      const reply = await ask({ 'x-gateway-config': '{"provider":"echo","weight":-1}' })
      expect(reply.error).to.include({ code: 'invalid_config', param: 'config/weight' })
      expect(reply.error.message).to.match(/^x-gateway-config: config\/weight: /)
    })
  })

  it('is ignored when it is empty', async () => {
    const reply = await ask({ 'x-gateway-config': '  ', 'x-gateway-provider': 'echo' })
    expect(reply.status).to.equal(200)
  })
})
