/** Finds the dialect of an adapter for a model. */

import type { InferenceEndpoint } from '@gateway/contract'
import { type Dialect, isGatewayError, type ProviderAdapter, type ProviderEndpoint } from '@gateway/contract'
import { targetOf } from './provider-settings.ts'

interface FoundDialect {
  /** `ADAPTER:ENDPOINT` for a procedure. */
  name: string
  dialect: Dialect | null
}

/** The dialect for a model, or the reason why it has none. */
export function findDialect(
  adapter: ProviderAdapter,
  endpoint: InferenceEndpoint,
  { declared, model }: { declared: ProviderEndpoint; model: string },
): FoundDialect | string {
  try {
    const settings = { ...targetOf(adapter.name, 'http://127.0.0.1:1'), provider: adapter.name }
    const chosen = declared.kind === 'choice' ? declared.choose({ model }, settings) : declared
    return chosen.kind === 'http'
      ? { name: chosen.dialect.name, dialect: chosen.dialect }
      : { name: `${adapter.name}:${endpoint}`, dialect: null }
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return `provider-settings.ts names no model that ${adapter.name} has for ${endpoint}: ${error.message}`
  }
}
