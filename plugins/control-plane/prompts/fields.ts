/** The fields of a prompt's version, as they are written (management contract, section 14). */
import { chatCompleteRequest, completeRequest } from '@gateway/contract/wire'
import { type TSchema, Type } from '@sinclair/typebox'
import type { Field } from '../engine/index.ts'

const anyObject = Type.Object({}, { additionalProperties: true })
const reference = Type.String({ minLength: 1, maxLength: 255 })

/** What older clients send for a boolean. */
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

/** Without null, which stands for the absence of a field. */
const list = (schema: TSchema): TSchema => Type.Unsafe({ ...schema, type: 'array' })

/** Everything that is content: a change of it makes a version. */
export const versionFields = {
  string: { schema: Type.String({ minLength: 1, trim: false }), isRequired: true },
  parameters: { schema: anyObject, default: {}, isNullable: true, answer: anyObject },
  // Absent at the root it stands in `parameters`.
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

/** Instructions of a write. */
export const instructions = {
  prompt_metadata: { schema: templateMetadata, isTransient: true },
  metadata: { schema: templateMetadata, isTransient: true },
  patch: { schema: Type.Boolean(), isTransient: true, writable: 'update' },
  publish: { schema: Type.Boolean(), isTransient: true, writable: 'update' },
} satisfies Record<string, Field>

const { model: _, messages: __, stream_options: ___, ...chatFields } = chatCompleteRequest.properties
const { model: ____, prompt: _____, stream_options: ______, ...completionFields } = completeRequest.properties

/** Of `parameters`: what the specification names of a request, one by one; the rest is the provider's. */
export const parametersSchemas = {
  chat: Type.Object(chatFields, { additionalProperties: true }),
  completion: Type.Object(completionFields, { additionalProperties: true }),
}
