/** A provider that enforces limits of requests and of tokens, called through the gateway by more than it allows. */
import { expect } from 'chai'
import { stopClock } from '../../../support/clock.ts'
import { chat } from '../../../support/gateway.ts'
import { type LimitedProvider, limitProvider } from '../../../support/limited-provider.ts'
import { tree } from '../../../support/scene.ts'
import { answerOk, type Handler, sendJson } from '../../../support/upstream.ts'
import { leaf, names, openLimited } from './scene.ts'

const windowMs = 10_000
/** Requests end the windows of one credential, tokens those of the others. */
const limits = {
  a: { requests: 20, tokens: 100_000, windowMs },
  b: { requests: 100, tokens: 1500, windowMs },
  c: { requests: 8, tokens: 500, windowMs },
}
const asked = 150
/** The gateway's estimate: four bytes of text, and the maximum output. */
const tokens = 1 + 49

describe('providers that enforce limits', () => {
  const scene = openLimited()
  const clock = stopClock()
  let providers: Record<string, LimitedProvider>

  const enforce =
    (name: string): Handler =>
    (request, response, count) => {
      const { isAdmitted, headers } = (providers[name] as LimitedProvider).admit(tokens, Date.now())
      for (const [header, value] of Object.entries(headers)) response.setHeader(header, value)
      if (isAdmitted) return answerOk(request, response, count)
      sendJson(response, 429, {
        error: { message: 'Rate limit reached.', type: 'tokens', code: 'rate_limit_exceeded' },
      })
    }

  /** The statuses of this number of parallel requests; each credential was called once before. */
  async function ask(model: string, config: unknown, targets: readonly unknown[]): Promise<number[]> {
    const now = Date.now()
    providers = Object.fromEntries(names.map((name) => [name, limitProvider(limits[name], now)]))
    scene.answers = Object.fromEntries(names.map((name) => [name, enforce(name)]))
    const body = chat('four', { model, max_tokens: 49 })
    for (const target of targets) await clock.run(scene.ask(target, { body }))
    const replies = Array.from({ length: asked }, () => scene.ask(config, { body }))
    return (await clock.run(Promise.all(replies))).map(({ status }) => status)
  }
  const count = (statuses: readonly number[], wanted: number) =>
    statuses.filter((status) => status === wanted).length
  const refusals = () => names.reduce((sum, name) => sum + (providers[name]?.counts.refused ?? 0), 0)

  it('refuse most of the requests when their limits are not learned, as those of callers’ own keys', async () => {
    const targets = names.map((name) => scene.leaf(name))
    const statuses = await ask('before', tree('loadbalance', targets), targets)
    expect(count(statuses, 429)).to.be.above(asked / 2)
  })

  it('answer all of them if they wait for room, and use the full limits', async () => {
    const targets = names.map((name) => leaf(name))
    const config = { ...tree('loadbalance', targets), queue: { max_wait_ms: 300_000 } }
    const statuses = await ask('after', config, targets)
    expect(count(statuses, 200)).to.equal(asked)
    expect(refusals()).to.be.at.most(asked / 100)
    const shares = names.flatMap((name) => providers[name]?.usedShares().slice(0, 2) ?? [])
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
    expect(mean).to.be.at.least(0.95)
  })
})
