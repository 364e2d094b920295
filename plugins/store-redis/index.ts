/** The store on Redis (6.0 or newer): cache and shared state for any number of processes. */
import type { StoreAdapter } from '@gateway/core/contract'
import { createCache } from './cache.ts'
import { connect } from './connection.ts'
import { createSharedState } from './shared-state.ts'

const redis: StoreAdapter = {
  name: 'redis',
  title: 'Redis',
  schemes: ['redis:', 'rediss:'],
  async open(url) {
    const connection = await connect(url)
    return {
      kv: createCache(connection),
      shared: createSharedState(connection),
      async ping() {
        await connection.ask(() => connection.client.ping())
      },
      close: connection.close,
    }
  },
}

export default redis
