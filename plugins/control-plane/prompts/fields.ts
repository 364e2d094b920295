/** The writable fields of a prompt's version (management contract, section 14). */
import { chatCompleteRequest, completeRequest } from '@gateway/contract/wire'
import { type TSchema, Type } from '@sinclair/typebox'
import type { Field } from '../engine/index.ts'

const anyObject = Type.Object({}, { additionalProperties: true })
const reference = Type.String({ minLength: 1, maxLength: 255 })

/** Older clients send a number instead of a boolean. */
const flag = Type.Union([Type.Boolean(), Type.Literal(0), Type.Literal(1)], {
  explain: 'must be true, false, 0 or 1',
})

const templateMetadata = Type.Object(
  {
    template_type: Type.Optional(
      Type.Union([Type.Literal('chat'), Type.Literal('completion')], {
        explain: 'must be chat or completion',
      }),
    ),
  },
  { additionalProperties: true },
)

const { tools, functions, tool_choice: toolChoice } = chatCompleteRequest.properties

/** The schema without null, which would remove the field. */
const list = (schema: TSchema): TSchema => Type.Unsafe({ ...schema, type: 'array' })

/** All content fields: a change of one creates a version. */
export const versionFields = {
  string: { schema: Type.String({ minLength: 1, trim: false }), isRequired: true },
  parameters: { schema: anyObject, default: {}, isNullable: true, answer: anyObject },
  // If absent at the root, it is read from `parameters`.
  model: { schema: Type.String({ minLength: 1, maxLength: 255 }), answer: Type.String() },
  virtual_key: { schema: reference },
  config: { schema: reference },
  tools: { schema: list(tools) },
  functions: { schema: list(functions) },
  tool_choice: { schema: Type.Unsafe({ ...toolChoice }) },
  is_raw_template: {
    schema: flag,
    default: 0,
    isNullable: true,
    answer: Type.Union([Type.Literal(0), Type.Literal(1)]),
  },
  template_metadata: {
    schema: templateMetadata,
    default: { template_type: 'chat' },
    isNullable: true,
    answer: anyObject,
  },
  variables_schema: { schema: anyObject },
  version_description: { schema: Type.String({ maxLength: 1024 }) },
} satisfies Record<string, Field>

/** Other names of `template_metadata`. */
export const metadataAliases = ['prompt_metadata', 'metadata'] as const

/** Fields that instruct a write and are not stored. */
export const instructions = {
  prompt_metadata: { schema: templateMetadata, isTransient: true },
  metadata: { schema: templateMetadata, isTransient: true },
  patch: { schema: Type.Boolean(), isTransient: true, writable: 'update' },
  publish: { schema: Type.Boolean(), isTransient: true, writable: 'update' },
} satisfies Record<string, Field>

const { model: _, messages: __, stream_options: ___, ...chatFields } = chatCompleteRequest.properties
const { model: ____, prompt: _____, stream_options: ______, ...completionFields } = completeRequest.properties

/**
 * The schemas of `parameters`: those that the specification names for a request. All others are passed to the provider.
 */
export const parametersSchemas = {
  chat: Type.Object(chatFields, { additionalProperties: true }),
  completion: Type.Object(completionFields, { additionalProperties: true }),
}
