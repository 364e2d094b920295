/** The time of last use reaches the store soon, and again when the store could not be written. */
import type { DocumentWrite } from '@gateway/contract'
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { createLastUsed } from '#core/tenancy/identity/last-used'

const minuteOfUse = '2030-01-01T00:00:00.000Z'

describe("the time of a key's last use", () => {
  let clock: Clock
  let written: string[]
  let isAway: boolean
  let lastUsed: ReturnType<typeof createLastUsed>
  beforeEach(() => {
    clock = install({ now: Date.parse(minuteOfUse) + 7000, toFake: ['setInterval', 'clearInterval', 'Date'] })
    written = []
    isAway = false
    lastUsed = createLastUsed({ documents: { commit }, now: Date.now, report: () => undefined })
  })
  afterEach(async () => {
    await lastUsed.close()
    clock.uninstall()
  })

  async function commit(writes: readonly DocumentWrite[]) {
    if (isAway) throw new Error('away')
    for (const write of writes) {
      if (write.op === 'put') written.push(`${write.document.id} ${String(write.document.data.last_used_at)}`)
    }
    return []
  }

  it('is stored within 5 s, rounded to the minute', async () => {
    lastUsed.note('group', 'org')
    await clock.tickAsync(4000)
    expect(written).to.deep.equal([`group ${minuteOfUse}`])
  })

  it('is stored within 5 s of the first use after a failed write, too', async () => {
    isAway = true
    lastUsed.note('group', 'org')
    await clock.tickAsync(4000)
    isAway = false
    await clock.tickAsync(4000)
    expect(written).to.deep.equal([`group ${minuteOfUse}`])
  })
})
