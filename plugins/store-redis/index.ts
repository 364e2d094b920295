/** The store on Redis (6.0 or newer): cache, counters and shared state for any number of processes. */
import type { StoreAdapter } from '@gateway/contract'

const redis: StoreAdapter = {
  name: 'redis',
  title: 'Redis',
  schemes: ['redis:', 'rediss:'],
  async open(url, { deadlineMs, report }) {
    // Loading the client takes a fifth of a second, so it is loaded only if Redis is configured.
    const [{ createCache }, { connect }, { createCounters }, { createSharedState }] = await Promise.all([
      import('./cache.ts'),
      import('./connection.ts'),
      import('./counters.ts'),
      import('./shared-state.ts'),
    ])
    const connection = await connect(url)
    const ping = async () => {
      await connection.ask(() => connection.client.ping())
    }
    // The gateway starts without it, and uses it as soon as it answers.
    await ping().catch((error: unknown) => report('Redis is not available yet', error))
    return {
      kv: createCache(connection, deadlineMs),
      counters: createCounters(connection),
      shared: createSharedState(connection),
      ping,
      close: connection.close,
    }
  },
}

export default redis
