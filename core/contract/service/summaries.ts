/** What a service may know of providers, checks, plugins and models. */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from '../endpoint.ts'
import type { Fault } from '../errors.ts'
import type { JsonObject } from '../json.ts'

/** What a provider's stored credential may hold. */
export interface ProviderSummary {
  name: string
  title: string
  /** Whether it needs a credential. */
  credential: 'required' | 'optional' | 'none'
  /** Of `configurations`; null when it takes none of its own. */
  configurations: TSchema | null
  /** Whether its wire format depends on the model that is called. */
  choosesByModel: boolean
  endpoints: readonly EndpointId[]
}

export interface CheckSummary {
  /** `plugin.check`. */
  id: string
  name: string
  description: string
  type: 'guardrail' | 'mutator'
  hooks: readonly ('beforeRequestHook' | 'afterRequestHook')[]
  parameters: JsonObject
  default_deny: boolean
  /** Of the plugin's settings. */
  credentials: JsonObject | null
  source: { plugin: string; version: string }
}

/** A plugin of guardrail checks. */
export interface PluginSummary {
  /** The first half of the ids of its checks. */
  name: string
  title: string
  version: string
  /** False where `plugins.disabled` of the config file names it: then nothing more is known of it. */
  isEnabled: boolean
  /** Of its settings; null when it has none. */
  settings: TSchema | null
  /** What is wrong with settings that its schema takes: hosts that the process's own identity may not be sent to. */
  faultsOf(settings: JsonObject): readonly Fault[]
  /** Its settings in the config file; null when they do not stand there. */
  declared: JsonObject | null
}

/** A model that a provider is known to have. */
export interface KnownModel {
  slug: string
  /** For people to read. */
  name: string | null
}

/** What came of trying a stored credential. */
export interface CredentialTrial {
  /** HTTP status of the provider; null when there was none. */
  status: number | null
  /** Null when it works. */
  error: string | null
}
