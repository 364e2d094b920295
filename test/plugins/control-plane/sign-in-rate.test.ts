/** Failed sign-ins are limited per address and account, and per address; successful ones are not. */
import { GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { createFailureCounter } from '#control-plane/people/sign-in-rate'
import { openManagement } from '../../support/management.ts'

const address = '192.0.2.1'

function counter() {
  const clock = { nowMs: 1_000_000 }
  const counts = new Map<string, number>()
  const shared = {
    async increment(key: string) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return counts.get(key) ?? 0
    },
    acquire: async () => true,
    delete: async () => undefined,
    publish: async () => undefined,
    subscribe: async () => undefined,
  }
  const failures = createFailureCounter({ now: () => clock.nowMs, shared })
  const refuse = async () => {
    throw new GatewayError('invalid_api_key', 'wrong')
  }
  const codeOf = (account: string, attempt: () => Promise<unknown>, from = address) =>
    failures.run({ address: from, account }, attempt).then(
      () => 'ok',
      (error: GatewayError) => error.code,
    )
  return {
    clock,
    counts,
    fail: (account: string, from = address) => codeOf(account, refuse, from),
    succeed: (account: string) => codeOf(account, async () => 'ok'),
    codeOf,
  }
}

describe('sign-in attempts', () => {
  it('may fail 20 times a minute per address and account', async () => {
    const { fail, succeed, clock } = counter()
    for (let count = 0; count < 20; count += 1) expect(await fail('a')).to.equal('invalid_api_key')
    expect(await fail('a')).to.equal('rate_limit_exceeded')
    expect(await succeed('a')).to.equal('rate_limit_exceeded')
    expect(await succeed('b')).to.equal('ok')
    expect(await fail('a', '192.0.2.2')).to.equal('invalid_api_key')
    clock.nowMs += 60_001
    expect(await succeed('a')).to.equal('ok')
  })

  it('may fail 100 times a minute per address for all accounts', async () => {
    const { fail, succeed } = counter()
    for (let count = 0; count < 100; count += 1) expect(await fail(`a${count}`)).to.equal('invalid_api_key')
    expect(await fail('another')).to.equal('rate_limit_exceeded')
    expect(await succeed('another')).to.equal('rate_limit_exceeded')
    expect(await fail('another', '192.0.2.2')).to.equal('invalid_api_key')
  })

  it('may succeed without limit', async () => {
    const { succeed } = counter()
    for (let count = 0; count < 300; count += 1) expect(await succeed('a')).to.equal('ok')
  })

  it('count failures seen by other processes', async () => {
    const { fail, counts } = counter()
    await fail('a')
    for (const key of counts.keys()) counts.set(key, 50)
    await fail('a')
    expect(await fail('a')).to.equal('rate_limit_exceeded')
  })

  it('cannot exceed that number concurrently', async () => {
    const { codeOf } = counter()
    let started = 0
    const slow = async () => {
      started += 1
      await new Promise((resolve) => setImmediate(resolve))
      throw new GatewayError('invalid_api_key', 'wrong')
    }
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf('a', slow)))
    expect(started).to.equal(20)
    expect(codes.filter((code) => code === 'rate_limit_exceeded')).to.have.length(30)
  })

  describe('over HTTP', () => {
    const api = openManagement()

    it('answer 429 with retry-after after 20 wrong keys, and correct keys before that are not counted', async () => {
      const login = (key: string) => api.as(null).post('/v1/auth/login', { api_key: key })
      for (let count = 0; count < 25; count += 1)
        expect((await login('test-admin-key-0123456789')).status).to.equal(200)
      for (let count = 0; count < 20; count += 1) expect((await login('wrong')).status).to.equal(401)
      const reply = await login('wrong')
      expect([reply.status, reply.error.code]).to.deep.equal([429, 'rate_limit_exceeded'])
      expect(Number(reply.headers.get('retry-after'))).to.be.within(1, 60)
    })
  })
})
