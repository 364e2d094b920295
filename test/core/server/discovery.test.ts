/** Packages that cannot be loaded prevent the start, and every error of every package is reported. */
import { expect } from 'chai'
import { type FixturePackage, packageDirectory } from '../../support/fixture-package.ts'
import { chat, configHeader, startGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'

const adapter = (name: string, rest = '') => `{
  name: '${name}', title: 'T', docs: 'D', baseUrl: null, credential: 'none', auth: (request) => request, endpoints: {
    chatComplete: { kind: 'procedure', run: async () => ({ status: 200, headers: {}, body: { by: '${name}' }, stream: null }) },
  }, ${rest} }`
const check = (id: string, rest = '') => `{
  id: '${id}', title: 'T', description: 'D', kind: 'guardrail', phases: ['before'],
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  prepare: () => ({ run: () => ({ verdict: false }) }), ${rest} }`
const plugin = (name: string, ...checks: string[]) =>
  `export default { name: '${name}', title: 'T', checks: [${checks.join(',')}] }`

/** Broken packages and the error that each of them causes at startup. */
const broken: [name: string, fixture: Omit<FixturePackage, 'name'>, message: string][] = [
  ['old', { kind: 'provider', contract: 2, source: '' }, 'is for contract 2; this gateway has contract 1'],
  ['throwing', { kind: 'provider', source: 'throw new Error("no luck")' }, 'cannot be loaded: no luck'],
  ['torn', { kind: 'guardrail', source: 'export default {' }, 'cannot be loaded: '],
  ['lost', { kind: 'service', source: 'import "./nowhere.js"' }, 'cannot be loaded: '],
  [
    'empty',
    { kind: 'provider', source: 'export const name = 1' },
    'has a default export that is not a gateway part',
  ],
  [
    'nameless',
    { kind: 'guardrail', source: 'export default { checks: [] }' },
    'has a default export that is no',
  ],
  [
    'nothing',
    { kind: 'store', source: 'export default null' },
    'has a default export that is not a gateway part',
  ],
  ['kindless', { kind: 'widget' as never, source: '' }, 'has an unknown "gateway.kind"'],
  [
    'double',
    { kind: 'provider', source: `export default ${adapter('echo')}` },
    'which another package also has',
  ],
  [
    'twice',
    { kind: 'provider', source: `export default [${adapter('tw')},${adapter('tw')}]` },
    'which another package also has',
  ],
  [
    'no-auth',
    { kind: 'provider', source: `export default ${adapter('x', 'auth: undefined')}` },
    'which lacks endpoints, auth or credential',
  ],
  [
    'no-endpoints',
    { kind: 'provider', source: `export default ${adapter('x', 'endpoints: null')}` },
    'which lacks endpoints, auth or credential',
  ],
  [
    'odd-credential',
    { kind: 'provider', source: `export default ${adapter('x', 'credential: "maybe"')}` },
    'which lacks endpoints, auth or credential',
  ],
  [
    'no-checks',
    { kind: 'guardrail', source: `export default { name: 'n', title: 'T' }` },
    'which lists no checks',
  ],
  [
    'no-schema',
    { kind: 'guardrail', source: plugin('a', check('c', 'parameters: undefined')) },
    'whose parameters are not a JSON Schema',
  ],
  [
    'bad-schema',
    { kind: 'guardrail', source: plugin('b', check('c', 'parameters: { type: "thing" }')) },
    'whose parameters are not a JSON Schema',
  ],
  [
    'no-prepare',
    { kind: 'guardrail', source: plugin('c', check('c', 'prepare: undefined')) },
    'which lacks an id or prepare',
  ],
  ['null-check', { kind: 'guardrail', source: plugin('d', 'null') }, 'which lacks an id or prepare'],
  [
    'odd-kind',
    { kind: 'guardrail', source: plugin('e', check('c', 'kind: "both"')) },
    'whose kind is neither guardrail nor mutator',
  ],
  [
    'odd-phase',
    { kind: 'guardrail', source: plugin('f', check('c', 'phases: ["during"]')) },
    'whose phases are not a list of',
  ],
  [
    'no-phase',
    { kind: 'guardrail', source: plugin('g', check('c', 'phases: []')) },
    'whose phases are not a list of',
  ],
  [
    'same-check',
    { kind: 'guardrail', source: plugin('default', check('contains')) },
    'which another package also has',
  ],
  [
    'no-open',
    { kind: 'store', source: `export default { name: 's', title: 'T', schemes: ['s:'] }` },
    'which lacks schemes or open',
  ],
  [
    'empty-dialect',
    { kind: 'dialect', source: `export default { name: 'd', title: 'T' }` },
    'which lists no endpoints',
  ],
  [
    'no-format',
    { kind: 'dialect', source: `export default { name: 'd', title: 'T', endpoints: [{ id: 'embed' }] }` },
    'which lacks a format or routes',
  ],
  [
    'strange-endpoint',
    { kind: 'dialect', source: `export default { name: 'd', title: 'T', endpoints: [{ id: 'poem' }] }` },
    'whose id is not one of the contract',
  ],
  [
    'same-endpoint',
    {
      kind: 'dialect',
      source: `export default { name: 'd', title: 'T', endpoints: [{ id: 'generateContent', format: {}, routes: [] }] }`,
    },
    'which another package also has',
  ],
  ['no-service', { kind: 'service', source: `export default { name: 's', title: 'T' }` }, 'which lacks open'],
  [
    'no-needs',
    { kind: 'service', source: `export default { name: 's', title: 'T', open: () => ({ routes: [] }) }` },
    'which lacks needs, the capabilities that it uses',
  ],
]

const faultsOf = (starting: Promise<{ stop(): Promise<void> }>): Promise<readonly string[]> =>
  starting.then(
    async (gateway) => {
      await gateway.stop()
      return []
    },
    (error: { faults?: string[] }) => error.faults ?? [`not a start error: ${error}`],
  )

describe('a package', () => {
  const packages = packageDirectory()
  const start = (directories: string[], plugins: object = {}) =>
    startGateway({ plugins: { packages: directories, ...plugins } })
  let faults: readonly string[] = []

  before(async () => {
    const directories = await Promise.all(
      broken.map(([name, fixture]) => packages.write({ name: `broken-${name}`, ...fixture })),
    )
    faults = await faultsOf(start(directories))
  })

  for (const [name, , message] of broken) {
    it(`stops the start with its path and the error: ${name}`, () => {
      const own = faults.filter((fault) => fault.includes(`broken-${name} `))
      expect(own, faults.join('\n')).to.have.length(1)
      expect(own[0])
        .to.contain(message)
        .and.to.match(/^\/.*broken-/)
    })
  }

  it('stops the start together with others: all are reported at once', () => {
    expect(faults).to.have.length(broken.length)
  })

  it('stops the start when it does not exist', async () => {
    expect(await faultsOf(start(['no-such-package', './no/such/folder']))).to.have.length(2)
  })

  it('of no supported kind stops the start when it is named', async () => {
    expect((await faultsOf(start(['koa'])))[0]).to.contain('has no "gateway"')
  })

  it('is used as soon as a config names it, for a provider and a check', async () => {
    const provider = await packages.write({
      name: 'mine',
      kind: 'provider',
      source: `export default ${adapter('mine')}`,
    })
    const guard = await packages.write({
      name: 'acme-checks',
      kind: 'guardrail',
      source: plugin('acme', check('never')),
    })
    const gateway = await start([provider, guard])
    try {
      const ask = async (config: object) =>
        readReply(await gateway.post('/v1/chat/completions', chat(), configHeader(config)))
      expect((await ask({ provider: 'mine' })).body).to.deep.equal({ by: 'mine' })
      const guarded = await ask({ provider: 'mine', input_guardrails: [{ deny: true, 'acme.never': {} }] })
      expect(guarded.status).to.equal(446)
      const misspelt = await ask({ provider: 'mine', input_guardrails: [{ 'acme.never': { x: 1 } }] })
      expect([misspelt.status, misspelt.error.param]).to.deep.equal([
        400,
        'config/input_guardrails/0/acme.never',
      ])
    } finally {
      await gateway.stop()
    }
  })

  it('with a check whose parameters schema does not compile is refused on use, and does not pass', async () => {
    const parameters = "parameters: { type: 'object', propertys: {} }"
    const source = plugin('odd', check('check', parameters))
    const gateway = await start([await packages.write({ name: 'odd-checks', kind: 'guardrail', source })])
    try {
      const config = configHeader({ provider: 'echo', input_guardrails: [{ 'odd.check': {} }] })
      const { status, error } = await readReply(await gateway.post('/v1/chat/completions', chat(), config))
      expect([status, error.code, error.param]).to.deep.equal([
        400,
        'invalid_config',
        'config/input_guardrails/0/odd.check',
      ])
    } finally {
      await gateway.stop()
    }
  })

  describe('that is disabled', () => {
    const disabled: [name: string, plugins: string[], config: object, code: string][] = [
      [
        'by the name of its provider',
        ['anthropic'],
        { provider: 'anthropic', api_key: 'k' },
        'unknown_provider',
      ],
      ['by its own name', ['@gateway/provider-echo'], { provider: 'echo', api_key: 'k' }, 'unknown_provider'],
      [
        'by the name of its plugin',
        ['default'],
        { provider: 'echo', input_guardrails: [{ contains: { words: ['x'] } }] },
        'unknown_check',
      ],
    ]
    for (const [name, names, config, code] of disabled) {
      it(`is not available: ${name}`, async () => {
        const gateway = await start([], { disabled: names })
        try {
          const response = await gateway.post('/v1/chat/completions', chat(), configHeader(config))
          const { status, error } = await readReply(response)
          expect([status, error.code]).to.deep.equal([400, code])
        } finally {
          await gateway.stop()
        }
      })
    }

    it('stops the start when the config file needs it', async () => {
      const file = { plugins: { disabled: ['default'] }, guardrails: { g: { contains: { words: ['x'] } } } }
      const found = await faultsOf(startGateway(file))
      expect(found[0]).to.contain('/guardrails/g/contains').and.to.contain('(unknown_check)')
    })
  })
})
