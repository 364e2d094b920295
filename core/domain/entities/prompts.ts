/** Prompts, partials, their versions, labels and collections. */
import type { Json, JsonObject } from '@gateway/contract'

/** The content of a version of a prompt, never changed. */
export type PromptContent = {
  /** Of a chat the text of a JSON array of messages, of a completion a text. */
  string: string
  /** Of the request, less its model. */
  parameters: JsonObject
  model: string
  /** Which stored provider is called, and which config routes it, when nobody else says. Slugs; the config's may be its id. */
  virtual_key: string | null
  config: string | null
  tools: Json
  functions: Json
  tool_choice: Json
  is_raw_template: 0 | 1
  template_metadata: JsonObject & { template_type: 'chat' | 'completion' }
  /** A JSON Schema of the variables; null: anything. */
  variables_schema: JsonObject | null
  version_description: string | null
}

/** What prompts and partials know of their versions; the content of the latest one stands beside it. */
export type Versioned = {
  latest_version: number
  /** Of the latest. */
  version_id: string
  published_version: number
  /** Partials, by slug, of every version that can be reached without its number: published, latest, labelled. */
  used_partials: Record<string, string[]>
}

/** Attributes: `collection_id`, `partials`. Versions are documents of the kind `prompt_version`. */
export type PromptData = PromptContent &
  Versioned & {
    /** Null for one of the config file. */
    collection_id: string | null
    published_model: string
    /** The version on which each label stands, by the label's id. */
    labels: Record<string, number>
  }

export type PromptPartialContent = { string: string; version_description: string | null }

/** Attributes: `partials`. Versions are documents of the kind `prompt_partial_version`. */
export type PromptPartialData = PromptPartialContent & Versioned

/** Key: `name:WORKSPACE/NAME`. */
export type PromptLabelData = {
  description: string | null
  color_code: string | null
  is_universal: boolean
}

/** Attributes: `parent_collection_id`. */
export type CollectionData = {
  parent_collection_id: string | null
  is_default: boolean
}
