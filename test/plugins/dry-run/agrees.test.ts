/** A dry run predicts the call for any config: random trees over `echo`, described and then called. */
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { chat, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'

type Node = Record<string, unknown>

/** `DRY_RUNS=10000` runs as many as for a release. */
const runs = Number(process.env.DRY_RUNS ?? 300)
const limitMs = 300_000 + runs * 100

const leaf: fc.Arbitrary<Node> = fc
  .record({
    provider: fc.constantFrom('@mine', '@mine', '@mine', '@picky', '@unlisted', '@full'),
    weight: fc.constantFrom(0, 1, 1, 2.5, 7),
    status: fc.constantFrom(200, 200, 404, 429, 500),
  })
  .map(({ provider, weight, status }) => ({
    provider,
    weight,
    override_params: { model: 'm', echo: { status } },
  }))

const named = (targets: Node[]) => targets.map((target, index) => ({ ...target, name: `t${index}` }))

/** Several conditions can name the same target, which can be the default one, too. */
const conditional = (targets: Node[]): fc.Arbitrary<Node> => {
  const name = fc.nat({ max: targets.length - 1 }).map((index) => `t${index}`)
  const condition = fc.record({
    query: fc.record({ 'metadata.plan': fc.constantFrom('pro', 'free') }),
    then: name,
  })
  const conditions = fc.array(condition, { minLength: 1, maxLength: 4 })
  return fc
    .record({ mode: fc.constant('conditional'), conditions, default: name })
    .map((strategy) => ({ strategy, targets: named(targets) }))
}

const sticky = fc.record({
  by: fc.constantFrom('auto', 'user', 'metadata.plan', 'metadata.absent', 'header.absent'),
})

const loadbalance = (targets: Node[]): fc.Arbitrary<Node> =>
  fc
    .record({ mode: fc.constant('loadbalance'), sticky }, { requiredKeys: ['mode'] })
    .map((strategy) => ({ strategy, targets }))

/** The limit of a refused target answers 429, which does not always continue the fallback. */
const fallback = (targets: Node[]): fc.Arbitrary<Node> =>
  fc
    .record(
      { mode: fc.constant('fallback'), on_status_codes: fc.constantFrom([500], [429, 500], [404]) },
      { requiredKeys: ['mode'] },
    )
    .map((strategy) => ({ strategy, targets }))

const single = (targets: Node[]): fc.Arbitrary<Node> => fc.constant({ strategy: { mode: 'single' }, targets })

const inner = (below: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
  fc
    .tuple(
      fc.constantFrom(single, loadbalance, loadbalance, fallback, fallback, conditional),
      fc.array(below, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 3),
    )
    .chain(([make, targets, weight]) => make(targets).map((node) => ({ ...node, weight })))

const config = fc.oneof(leaf, inner(leaf), inner(fc.oneof(leaf, inner(leaf))))

interface Planned {
  path: string
  probability: number
  condition?: number | null
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
  decisions?: Decision[]
}

interface Decision {
  step: string
  path: string
  /** The chosen target of a pick. */
  chosen?: string
  by?: string
  /** The index of a condition. */
  index?: number | null
  then?: string
}

interface Strategy {
  conditions: { query: { 'metadata.plan': string }; then: string }[]
  default: string
  sticky?: { by: string }
}

/** The strategy of a node, by its path in the trace. */
function strategyAt(config: Node, path: string): Strategy {
  const indexes = [...path.matchAll(/targets\[(\d+)\]/g)].map(([, index]) => Number(index))
  const node = indexes.reduce((at, index) => (at.targets as Node[])[index] as Node, config)
  return node.strategy as Strategy
}

describe('a dry run of random configs', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      providers: {
        mine: { provider: 'echo' },
        picky: { provider: 'echo', rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }] },
        unlisted: { provider: 'jina', api_key: 'unused' },
        full: { provider: 'echo' },
      },
    })
    const refusing = {
      provider: '@full',
      override_params: { model: 'm', echo: { status: 429, retry_after: 86_400 } },
    }
    const learned = await gateway.post('/v1/chat/completions', chat(), configHeader(refusing))
    expect(learned.status).to.equal(429)
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
        agree(dry.targets, calls, { made, called })
        for (const decision of called.decisions ?? []) isTruthful(node, dry.targets, decision)
      }),
      { numRuns: runs },
    )
  }).timeout(limitMs)

  /** The trace names the condition that matched, and the key of the session that was used. */
  function isTruthful(config: Node, targets: Planned[], { step, path, index, then, by }: Decision): void {
    if (step === 'condition') {
      const { conditions } = strategyAt(config, path)
      const matching = conditions.findIndex(({ query }) => query['metadata.plan'] === 'pro')
      expect(index).to.equal(matching === -1 ? null : matching)
      expect(targets.find((target) => target.path === then)?.condition ?? index).to.equal(index)
    }
    if (step === 'pick') {
      const { sticky } = strategyAt(config, path)
      const isKnown = sticky?.by === 'metadata.plan'
      expect(by).to.equal(sticky === undefined ? undefined : isKnown ? sticky.by : 'auto')
    }
  }

  /** @param made calls of targets that the dry run allows */
  function agree(
    targets: Planned[],
    calls: string[],
    { made, called }: { made: string[]; called: Called },
  ): void {
    const at = (path: string) => targets.find((one) => one.path === path)
    for (const path of calls) expect(at(path), path).not.to.equal(undefined)
    for (const path of calls) {
      const { allowed = true, refusals = [] } = at(path) ?? {}
      // A provider without the endpoint is refused only when it is called.
      if (!allowed) expect(refusals[0]?.code).to.equal('unsupported_endpoint')
    }
    const likely = targets.filter(({ probability }) => probability > 0)
    const sure = likely.find(({ probability }) => probability === 1)
    // Targets that are refused are left out, as by a call.
    expect(likely.filter(({ allowed }) => !allowed)).to.deep.equal([])
    if (sure !== undefined) expect(made[0]).to.equal(sure.path)
    if (likely.length > 0) expect(at(made[0] ?? '')?.probability).to.be.greaterThan(0)
    else expect(made).to.deep.equal([])
    if (made.length === 0 && targets.length > 0) {
      const codes = new Set(targets.flatMap(({ refusals }) => refusals.map(({ code }) => code)))
      if (called.error !== undefined && codes.size > 0) expect([...codes]).to.include(called.error.code)
    }
    const sum = targets.reduce((total, { probability }) => total + probability, 0)
    expect(Math.abs(sum - 1) < 1e-9 || sum === 0).to.equal(true)
  }
})
