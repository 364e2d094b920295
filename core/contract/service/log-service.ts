/** The log of requests, for services that read it or add to it. */
import type { EndpointId } from '../endpoint.ts'
import type { Json } from '../json.ts'
import type { LogContents, LogEntry } from '../store.ts'

/** A call that another program made. */
export interface LoggedCall {
  workspaceId: string
  /** A provider's name, or `@slug` of the workspace; null where that is not known. */
  provider: string | null
  endpoint: EndpointId
  request: Json
  response: Json
  /** When it was made. */
  atMs: number
}

/** What such a call used and cost. */
export interface PricedCall {
  ai_org: string | null
  provider: string | null
  provider_id: string | null
  ai_model: string | null
  requested_model: string | null
  req_units: number
  res_units: number
  reasoning_units: number
  cached_units: number
  /** US cents. */
  cents: number
  isKnown: boolean
}

/** The log, as far as the config file and the process rule it. */
export interface LogService {
  /** `logs` of the config file. */
  settings(): LogContents & { retentionDays: number; metricsRetentionDays: number }
  price(call: LoggedCall): Promise<PricedCall>
  /** Puts an entry on its way to the log, behind the request. */
  add(entry: LogEntry): void
  /** Writes what this process has put on its way; resolves also when the store is away. */
  flush(): Promise<void>
  /** Hears of every entry that this process puts on its way; gives what ends it. */
  listen(listener: (entry: LogEntry) => void): () => void
}
