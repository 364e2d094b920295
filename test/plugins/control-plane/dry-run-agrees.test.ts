/** A dry run predicts the call for any config: random trees over `echo`, described and then called. */
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { chat, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'

type Node = Record<string, unknown>

/** `DRY_RUNS=10000` runs as many as for a release. */
const runs = Number(process.env.DRY_RUNS ?? 300)
const limitMs = 120_000 + runs * 100

const leaf: fc.Arbitrary<Node> = fc
  .record({
    provider: fc.constantFrom('@mine', '@mine', '@mine', '@picky', '@unlisted'),
    weight: fc.constantFrom(0, 1, 1, 2.5, 7),
    status: fc.constantFrom(200, 200, 404, 429, 500),
  })
  .map(({ provider, weight, status }) => ({
    provider,
    weight,
    override_params: { model: 'm', echo: { status } },
  }))

const named = (targets: Node[]) => targets.map((target, index) => ({ ...target, name: `t${index}` }))

const inner = (below: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
  fc
    .tuple(
      fc.constantFrom('single', 'loadbalance', 'fallback', 'conditional'),
      fc.array(below, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 3),
      fc.constantFrom('pro', 'free'),
    )
    .map(([mode, targets, weight, plan]) => {
      const isConditional = mode === 'conditional'
      const conditions = [{ query: { 'metadata.plan': plan }, then: `t${targets.length - 1}` }]
      return {
        weight,
        strategy: isConditional ? { mode, conditions, default: 't0' } : { mode },
        targets: isConditional ? named(targets) : targets,
      }
    })

const config = fc.oneof(leaf, inner(leaf), inner(fc.oneof(leaf, inner(leaf))))

interface Planned {
  path: string
  probability: number
  allowed: boolean
  refusals: { code: string }[]
}

interface Dry {
  valid: boolean
  errors: { code: string }[]
  targets: Planned[]
}

interface Called {
  error?: { code: string }
  decisions?: { step: string; path: string }[]
}

describe('a dry run of random configs', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      providers: {
        mine: { provider: 'echo' },
        picky: { provider: 'echo', rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }] },
        unlisted: { provider: 'jina', api_key: 'unused' },
      },
    })
  })
  after(() => gateway.stop())

  const headersOf = (node: Node) => ({
    ...configHeader(node),
    'x-gateway-metadata': '{"plan":"pro"}',
    'x-gateway-explain': 'true',
  })

  async function describeRequest(node: Node): Promise<Dry> {
    const body = { endpoint: 'chatComplete', headers: headersOf(node), body: chat() }
    const answer = await gateway.post('/v1/dry-run', body)
    expect(answer.status).to.equal(200)
    return (await answer.json()) as Dry
  }

  it('agrees with the actual call', async () => {
    await assertProperty(
      fc.asyncProperty(config, async (node) => {
        const dry = await describeRequest(node)
        const answer = await gateway.post('/v1/chat/completions', chat(), headersOf(node))
        const called = (await answer.json()) as Called
        if (!dry.valid) {
          expect(called.error?.code).to.equal(dry.errors[0]?.code)
          return
        }
        const calls = (called.decisions ?? []).filter(({ step }) => step === 'call').map(({ path }) => path)
        const made = calls.filter((path) => dry.targets.find((one) => one.path === path)?.allowed === true)
        agree(dry.targets, calls, made, called)
      }),
      { numRuns: runs },
    )
  }).timeout(limitMs)

  /** @param made calls of targets that the dry run allows */
  function agree(targets: Planned[], calls: string[], made: string[], called: Called): void {
    const at = (path: string) => targets.find((one) => one.path === path)
    for (const path of calls) expect(at(path), path).not.to.equal(undefined)
    for (const path of calls) {
      const { allowed = true, refusals = [] } = at(path) ?? {}
      // A provider without the endpoint is refused as it is called.
      if (!allowed) expect(refusals[0]?.code).to.equal('unsupported_endpoint')
    }
    const likely = targets.filter(({ probability }) => probability > 0)
    const sure = likely.find(({ probability }) => probability === 1)
    if (sure?.allowed === true) expect(calls[0]).to.equal(sure.path)
    if (likely.length > 0 && likely.every(({ allowed }) => allowed)) {
      expect(at(calls[0] ?? '')?.probability).to.be.greaterThan(0)
    }
    if (made.length === 0 && targets.length > 0) {
      const codes = new Set(targets.flatMap(({ refusals }) => refusals.map(({ code }) => code)))
      if (called.error !== undefined && codes.size > 0) expect([...codes]).to.include(called.error.code)
    }
    const sum = targets.reduce((total, { probability }) => total + probability, 0)
    expect(Math.abs(sum - 1) < 1e-9 || sum === 0).to.equal(true)
  }
})
