/** The log on ClickHouse (24.8 or newer): for deployments whose logs are too large for Postgres. */
import type { StoreAdapter } from '@gateway/contract'

const clickHouse: StoreAdapter = {
  name: 'clickhouse',
  title: 'ClickHouse',
  schemes: ['clickhouse:'],
  // The client is loaded only if a URL names the engine.
  open: async (url, options) => (await import('./open.ts')).openClickHouse(url, options),
}

export default clickHouse
