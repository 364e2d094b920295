/** A provider of the compatible format, built from one row of data. */
import type {
  EndpointId,
  HttpEndpoint,
  InferenceEndpoint,
  ModelInfo,
  ProviderAdapter,
  ProviderEndpoint,
  ProviderNotes,
} from '@gateway/contract'
import { bearer, none } from './auth/credential.ts'
import { compatibleNotes, type NotedRow } from './compatible-notes.ts'
import { compatibleDialect, type EndpointRules } from './dialect/compatible/dialects.ts'
import { inlineMedia } from './media/inline-media.ts'

export interface CompatibleRow extends NotedRow {
  name: string
  title: string
  /** Its id in the public price list, if that differs from its name; null when the list does not contain it. */
  priceList?: string | null
  /** The vendor's reference. */
  docs: string
  /** The base URL with its version segment; null if only `custom_host` specifies it. */
  baseUrl: string | null
  endpoints: readonly InferenceEndpoint[]
  /** Whether a credential is needed. Default `required`. */
  credential?: ProviderAdapter['credential']
  /** Adds the credential. Default: a bearer token, or none if no credential is needed. */
  auth?: ProviderAdapter['auth']
  /** Paths that differ from the format's own. */
  paths?: Partial<Record<EndpointId, HttpEndpoint['path']>>
  /** Differences in the provider's bodies. */
  rules?: Partial<Record<EndpointId, EndpointRules>>
  /** Endpoints whose images and files are fetched first, since the provider accepts only bytes. */
  inlines?: readonly InferenceEndpoint[]
  /** Endpoints that are not in the compatible format. */
  own?: Partial<Record<EndpointId, ProviderEndpoint>>
  /** The address of its realtime sessions. */
  realtime?: ProviderAdapter['realtime']
  models?: readonly ModelInfo[]
  /** Schema of the `configurations` of a stored credential. */
  configurations?: ProviderAdapter['configurations']
  notes?: ProviderNotes
}

const standardPaths: Record<InferenceEndpoint, string> = {
  chatComplete: '/chat/completions',
  complete: '/completions',
  embed: '/embeddings',
  imageGenerate: '/images/generations',
  rerank: '/rerank',
}

/** The adapter of one row. */
export function compatibleProvider(row: CompatibleRow): ProviderAdapter {
  const endpoints: Partial<Record<EndpointId, ProviderEndpoint>> = {}
  for (const id of row.endpoints) {
    endpoints[id] = {
      kind: 'http',
      method: 'POST',
      path: row.paths?.[id] ?? standardPaths[id],
      dialect: compatibleDialect(id, row.rules?.[id], row.extras?.[id]),
      ...(row.inlines?.includes(id) === true ? { prepare: inlineMedia } : {}),
    }
  }
  return {
    name: row.name,
    title: row.title,
    docs: row.docs,
    baseUrl: row.baseUrl,
    credential: row.credential ?? 'required',
    auth: row.auth ?? (row.credential === 'none' ? none() : bearer()),
    endpoints: { ...endpoints, ...row.own },
    ...(row.realtime === undefined ? {} : { realtime: row.realtime }),
    ...(row.priceList === undefined ? {} : { priceList: row.priceList }),
    ...(row.models === undefined ? {} : { models: row.models }),
    ...(row.configurations === undefined ? {} : { configurations: row.configurations }),
    notes: compatibleNotes(row),
  }
}
