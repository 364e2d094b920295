/** Short-lived credentials: cached, renewed before they expire, one renewal at a time. */
import { GatewayError } from '@gateway/contract'
import { createTokenCache, type Expiring } from '@gateway/provider-kit'
import { expect } from 'chai'

const hourMs = 3_600_000

describe('a token cache', () => {
  const token = (value: string, expiresAt: number): Promise<Expiring<string>> =>
    Promise.resolve({ value, expiresAt })

  it('requests a token once for concurrent callers, and caches it', async () => {
    const cache = createTokenCache<string>()
    let renewals = 0
    const ask = (nowMs: number) => cache.get(['secret'], nowMs, () => token(`t${++renewals}`, nowMs + hourMs))
    expect(await Promise.all([ask(0), ask(0), ask(0)])).to.deep.equal(['t1', 't1', 't1'])
    expect(await ask(hourMs / 2)).to.equal('t1')
    expect(renewals).to.equal(1)
  })

  it('separates credentials', async () => {
    const cache = createTokenCache<string>()
    expect(await cache.get(['a', 'b'], 0, () => token('one', hourMs))).to.equal('one')
    expect(await cache.get(['ab'], 0, () => token('two', hourMs))).to.equal('two')
  })

  it('renews shortly before the expiry, and returns the old token meanwhile', async () => {
    const cache = createTokenCache<string>()
    await cache.get(['secret'], 0, () => token('old', hourMs))
    const soon = hourMs - 60_000
    expect(await cache.get(['secret'], soon, () => token('new', soon + hourMs))).to.equal('old')
    expect(await cache.get(['secret'], soon, () => Promise.reject(new Error('no third renewal')))).to.equal(
      'new',
    )
  })

  it('keeps returning the old token when its renewal fails, and retries', async () => {
    const cache = createTokenCache<string>()
    await cache.get(['secret'], 0, () => token('old', hourMs))
    const soon = hourMs - 60_000
    const fail = () => Promise.reject(new GatewayError('dependency_unavailable', 'away'))
    expect(await cache.get(['secret'], soon, fail)).to.equal('old')
    await Promise.resolve()
    await cache.get(['secret'], soon, () => token('new', soon + hourMs))
    expect(await cache.get(['secret'], soon, fail)).to.equal('new')
  })

  it('does not cache a failure, and returns it to all who waited', async () => {
    const cache = createTokenCache<string>()
    const refused = new GatewayError('dependency_unavailable', 'away')
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => cache.get(['s'], 0, () => Promise.reject(refused))),
    )
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(await cache.get(['s'], 0, () => token('now', hourMs))).to.equal('now')
  })

  it('completes a renewal after its first caller disconnected', async () => {
    const cache = createTokenCache<string>()
    const left = cache.get(['s'], 0, () => Promise.reject(new GatewayError('client_closed_request', 'left')))
    const stays = cache.get(['s'], 0, () => token('mine', hourMs))
    expect((await Promise.allSettled([left]))[0]?.status).to.equal('rejected')
    expect(await stays).to.equal('mine')
  })
})
