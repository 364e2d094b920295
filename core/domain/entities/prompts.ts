/** Prompts, partials, their versions, labels and collections. */
import type { Json, JsonObject } from '@gateway/contract'

/** The content of a version of a prompt, never changed. */
export type PromptContent = {
  /** For a chat, a JSON array of messages as text; for a completion, plain text. */
  string: string
  /** Request parameters except the model. */
  parameters: JsonObject
  model: string
  /** The default stored provider and config. Slugs; the config may be given by id. */
  virtual_key: string | null
  config: string | null
  tools: Json
  functions: Json
  tool_choice: Json
  is_raw_template: 0 | 1
  template_metadata: JsonObject & { template_type: 'chat' | 'completion' }
  /** A JSON Schema for the variables; null: any. */
  variables_schema: JsonObject | null
  version_description: string | null
}

/** Version data of prompts and partials, stored with the latest content. */
export type Versioned = {
  latest_version: number
  /** The id of the latest version. */
  version_id: string
  published_version: number
  /** Slugs of the partials in versions reachable without a number: published, latest, labelled. */
  used_partials: Record<string, string[]>
}

/** The expectations for the answer to the prompt with these variables. */
type PromptTestCase = {
  name: string
  variables: JsonObject
  expected: { type: 'contains' | 'not_contains' | 'equals' | 'matches' | 'json'; value?: string }[]
}

/** Attributes: `collection_id`, `partials`. Versions are documents of the kind `prompt_version`. */
export type PromptData = PromptContent &
  Versioned & {
    /** Null for a prompt of the config file. */
    collection_id: string | null
    published_model: string
    /** The test cases of all versions. Absent in prompts stored before test cases existed. */
    test_cases?: PromptTestCase[] | null
    /** The version of each label, by the label's id. */
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
