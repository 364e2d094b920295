/** Summaries of providers, checks, plugins and models for services. */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from '../endpoint.ts'
import type { Fault } from '../errors.ts'
import type { JsonObject } from '../json.ts'

/** The settings of a provider's stored credential. */
export interface ProviderSummary {
  name: string
  title: string
  /** Whether it needs a credential. */
  credential: 'required' | 'optional' | 'none'
  /** Schema of `configurations`; null if the provider has no such settings. */
  configurations: TSchema | null
  /** Whether its wire format depends on the called model. */
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
  /** The credentials in the plugin's settings. */
  credentials: JsonObject | null
  source: { plugin: string; version: string }
}

/** A plugin of guardrail checks. */
export interface PluginSummary {
  /** The first half of the ids of its checks. */
  name: string
  title: string
  version: string
  /** False when it is listed in `plugins.disabled` of the config file; its other members are then empty. */
  isEnabled: boolean
  /** The schema of its settings; null for a plugin without settings. */
  settings: TSchema | null
  /** Finds errors in schema-valid settings: hosts that must not receive the process's own identity. */
  faultsOf(settings: JsonObject): readonly Fault[]
  /** Its settings in the config file; null if the file has none. */
  declared: JsonObject | null
}

/** A known model of a provider. */
export interface KnownModel {
  slug: string
  /** The name for display. */
  name: string | null
}

/** The result of trying a stored credential. */
export interface CredentialTrial {
  /** HTTP status of the provider; null if it did not answer. */
  status: number | null
  /** The error; null if the credential works. */
  error: string | null
}
