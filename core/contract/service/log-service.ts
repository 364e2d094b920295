/** Reads the request log and adds entries to it, for services. */
import type { EndpointId } from '../endpoint.ts'
import type { Json } from '../json.ts'
import type { LogContents, LogEntry } from '../store.ts'

/** A call made by another program. */
export interface LoggedCall {
  workspaceId: string
  /** A provider's name, or the `@slug` of a provider of the workspace; null when unknown. */
  provider: string | null
  endpoint: EndpointId
  request: Json
  response: Json
  /** Time of the call. */
  atMs: number
}

/** Usage and cost of such a call. */
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

/** The log, with the settings of the config file and the process. */
export interface LogService {
  /** `logs` of the config file. */
  settings(): LogContents & { retentionDays: number; metricsRetentionDays: number }
  price(call: LoggedCall): Promise<PricedCall>
  /** Queues an entry for the log; does not delay the request. */
  add(entry: LogEntry): void
  /** Flushes this process's queued entries; also resolves when the store is unavailable. */
  flush(): Promise<void>
  /** Subscribes to every entry that this process queues; returns a function that unsubscribes. */
  listen(listener: (entry: LogEntry) => void): () => void
}
