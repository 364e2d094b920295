/** Two workers whose primary cannot read a counter of its store: the other limits stay those of both together. */
import { type Counters, GatewayError, isGatewayError } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { openPorts } from '#core/boot/open-ports'
import { createEmbeddedCounters } from '#counters/embedded-counters'
import { createMemoryCounters } from '#counters/memory-counters'
import { createMemorySharedState } from '#store/memory/shared-state'

const limit = 10

describe('workers whose primary cannot read a counter of its store', () => {
  it('refuse only requests that need it, with the error of the store, and share the other limits exactly', async () => {
    const load = async (keys: readonly string[]) => {
      if (keys.includes('unread')) throw new GatewayError('store_unavailable', 'The store is not available.')
      return keys.map(() => undefined)
    }
    const stored = { ...createMemoryCounters(), snapshots: { load, save: async () => undefined } }
    const clusterCounters = createEmbeddedCounters(stored, { report: () => undefined })
    const workers = await Promise.all([openWorker(clusterCounters), openWorker(clusterCounters)])
    try {
      let admitted = 0
      for (let round = 0; round < limit; round += 1) {
        for (const { counters } of workers) {
          const fault = await reserve(counters, 'unread').catch((error: unknown) => error)
          expect(isGatewayError(fault) && fault.code).to.equal('store_unavailable')
          if ((await reserve(counters, 'read')).isAdmitted) admitted += 1
        }
      }
      expect(admitted).to.equal(limit)
      expect(workers.map((worker) => worker.areLimitsUnshared())).to.deep.equal([false, false])
    } finally {
      for (const worker of workers) await worker.close()
    }
  })
})

function openWorker(clusterCounters: Counters) {
  return openPorts({
    storeUrl: 'sqlite::memory:',
    redisUrl: null,
    logsUrl: null,
    redis: { deadline_ms: 50, fail_closed: false },
    stores: new Map(sqlStore.schemes.map((scheme) => [scheme, sqlStore])),
    cache: { maxEntries: 1, maxBytes: 1 },
    options: { directory: '.', report: () => undefined },
    cluster: createMemorySharedState(),
    clusterCounters,
  })
}

let attempts = 0

async function reserve(counters: Counters, key: string) {
  attempts += 1
  const window = { lengthMs: 86_400_000, offsetMs: 0 }
  return counters.reserve(
    `attempt-${attempts}`,
    [{ key, window, limit, need: 1, admits: 'fits', takes: 'use' }],
    { leaseMs: 60_000, nowMs: Date.now() },
  )
}
