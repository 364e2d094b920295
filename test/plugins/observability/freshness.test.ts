/** Requests are counted soon after they end (fine print: within 5 s), without a query. */
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'

describe('analytics', () => {
  let clock: (Clock & { uninstall(): void }) | undefined
  // This runs before the gateway opens, which sets the timer of its log.
  before(() => {
    clock = install({ toFake: ['setInterval', 'clearInterval'], shouldClearNativeTimers: true })
  })
  after(() => clock?.uninstall())
  const api = openManagement()

  const counted = async () => (await api.get('/v1/analytics/groups/model')).data[0]?.requests ?? 0

  it('count a request five seconds after its end', async () => {
    const headers = { 'x-gateway-provider': 'echo' }
    for (const _ of [1, 2, 3]) await (await api.gateway.post('/v1/chat/completions', chat(), headers)).text()
    // Time is stopped for the log, and nothing is written.
    expect(await counted()).to.equal(0)
    await clock?.tickAsync(4900)
    await until('the write ends', async () => (await counted()) === 3)
  })
})
