/** The log on ClickHouse (24.8 or newer): for fleets whose logs outgrow Postgres. */
import type { StoreAdapter } from '@gateway/contract'

const clickHouse: StoreAdapter = {
  name: 'clickhouse',
  title: 'ClickHouse',
  schemes: ['clickhouse:'],
  // The client is loaded only where a URL names the engine.
  open: async (url, options) => (await import('./open.ts')).openClickHouse(url, options),
}

export default clickHouse
