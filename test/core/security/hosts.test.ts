/** The allowed custom hosts: no private host outside `security.trusted_hosts`, in any spelling. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

/** Spellings of this machine; the port is appended. */
const loopback = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.1.2.3', '127.255.255.254', '2130706433'],
  ...['017700000001', '0x7f000001', '0X7F.1', '0x7f.0.0.1', '0177.0.0.1', '127.0x1', '000177.0.0.01'],
  ...['%31%32%37.0.0.1', '127%2e0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '0', '0.0.0.0', '0x0'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', 'ｌocalhost'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::127.0.0.1]'],
  ...['[0000::0001]', '[::127.0.0.1]', '[2002:7f00:1::]'],
]

const addresses: Record<string, { address: string; family: number }[]> = {
  'inside.example': [{ address: '127.0.0.1', family: 4 }],
  'both.example': [
    { address: '203.0.114.9', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
}
const resolve = async (hostname: string) => addresses[hostname] ?? []

describe('a custom host', () => {
  let upstream: Upstream
  let shut: TestGateway
  let open: TestGateway
  const port = () => new URL(upstream.origin).port

  before(async () => {
    upstream = await openUpstream()
    shut = await startGateway({ security: { trusted_hosts: [] } }, { resolve })
    open = await startGateway({}, { resolve })
  })
  after(async () => {
    await shut.stop()
    await open.stop()
    await upstream.close()
  })
  beforeEach(() => {
    upstream.seen.length = 0
  })

  const leaf = (custom_host: string) => ({ provider: 'openai', api_key: 'sk-own', custom_host })
  const ask = async (gateway: TestGateway, headers: Record<string, string>) =>
    readReply(await gateway.post('/v1/chat/completions', chat(), headers))

  const refuses = async (headers: Record<string, string>, param: string | null) => {
    const { status, error, text } = await ask(shut, headers)
    expect(status).to.equal(400)
    expect(error).to.include({ type: 'invalid_request_error', code: 'host_not_allowed', param })
    expect(text).not.to.contain(port())
    expect(upstream.seen).to.deep.equal([])
  }

  for (const host of loopback) {
    it(`on this machine is refused: ${host}`, async () => {
      const url = `http://${host}:${port()}/v1`
      await refuses(configHeader(leaf(encodeNonAscii(url))), 'config/custom_host')
      const header = { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': encodeNonAscii(url) }
      await refuses(header, 'header/x-gateway-custom-host')
    })
  }

  it('is refused anywhere in the tree, before any target is called', async () => {
    const targets = [{ provider: 'echo' }, leaf(`${upstream.origin}/v1`)]
    await refuses(configHeader({ strategy: { mode: 'fallback' }, targets }), 'config/targets/1/custom_host')
  })

  const unusable = [
    'ftp://127.0.0.1/v1',
    'file:///etc/passwd',
    'unix:/run/x.sock',
    'nowhere',
    'http://',
    '//127.0.0.1/v1',
  ]
  for (const url of unusable) {
    it(`must be an http URL: ${url}`, async () => {
      const { status, error } = await ask(open, configHeader(leaf(url)))
      expect([status, error.code]).to.deep.equal([400, 'host_not_allowed'])
    })
  }

  it('cannot contain a user name and password', async () => {
    const { status, error } = await ask(open, configHeader(leaf(`http://user:sesame@127.0.0.1:${port()}/v1`)))
    expect([status, error.code]).to.deep.equal([400, 'host_not_allowed'])
    expect(error.message).not.to.contain('sesame')
  })

  for (const name of ['inside.example', 'both.example']) {
    it(`is checked by its resolved address: ${name}`, async () => {
      const reply = await ask(shut, configHeader(leaf(`http://${name}:${port()}/v1`)))
      expect([reply.status, reply.error.code]).to.deep.equal([400, 'host_not_allowed'])
      expect(reply.text).not.to.contain('127.0.0.1').and.not.to.contain(name)
      expect(upstream.seen).to.deep.equal([])
    })
  }

  it('lets a fallback continue when its name resolves to a private address', async () => {
    const targets = [leaf(`http://inside.example:${port()}/v1`), { provider: 'echo' }]
    const reply = await ask(shut, configHeader({ strategy: { mode: 'fallback' }, targets }))
    expect([reply.status, reply.index]).to.deep.equal([200, 'config.targets[1]'])
  })

  for (const host of ['127.0.0.1', '127.0.0.1.', 'localhost', 'inside.example']) {
    it(`is called when it is trusted: ${host}`, async () => {
      const reply = await ask(open, configHeader(leaf(`http://${host}:${port()}/v1/`)))
      expect(reply.status).to.equal(200)
      expect(upstream.seen[0]?.path).to.equal('/v1/chat/completions')
    })
  }

  describe('in the config file', () => {
    const declared = (section: object) => ({ security: { trusted_hosts: [] }, ...section })
    const files: [name: string, file: (url: string) => Record<string, unknown>, fault: string][] = [
      [
        'of a stored credential',
        (custom_host) =>
          declared({ providers: { house: { provider: 'openai', api_key: 'k', custom_host } } }),
        '/providers/house/custom_host',
      ],
      [
        'of a custom provider',
        (base_url) => declared({ custom_providers: { house: { base_url, endpoints: ['chatComplete'] } } }),
        '/custom_providers/house/base_url',
      ],
      [
        'of a saved config',
        (custom_host) => declared({ configs: { house: leaf(custom_host) } }),
        '/configs/house/custom_host',
      ],
    ]
    for (const [name, file, fault] of files) {
      it(`is refused at the start when it is not trusted: ${name}`, async () => {
        const faults = await startGateway(file(`${upstream.origin}/v1`)).then(
          async (gateway) => {
            await gateway.stop()
            return []
          },
          (error: { faults: string[] }) => error.faults,
        )
        expect(faults).to.have.length(1)
        expect(faults[0]).to.contain(`${fault} `).and.to.contain('(host_not_allowed)')
      })
    }
  })
})

/** A header contains bytes; non-ASCII characters are escaped, and unescaped in JSON. */
function encodeNonAscii(url: string): string {
  return url.replaceAll(/[^\x20-\x7e]/g, (letter) => encodeURIComponent(letter))
}
