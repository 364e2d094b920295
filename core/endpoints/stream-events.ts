/**
 * Schemas of the events in streamed answers: of the JSON in each `data:` line, for the OpenAPI document. Members that
 * only some events have are optional, and further ones may follow.
 * https://platform.openai.com/docs/api-reference
 */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'

const event = (title: string, properties: TProperties): TSchema =>
  Type.Object(properties, { title, additionalProperties: true })

const optional = Type.Optional
const textOrNull = Type.Union([Type.String(), Type.Null()])
const anyObject = Type.Object({}, { additionalProperties: true })

const toolCallDelta = Type.Object(
  {
    index: Type.Integer(),
    id: optional(Type.String()),
    type: optional(Type.String()),
    function: optional(
      Type.Object(
        { name: optional(Type.String()), arguments: optional(Type.String()) },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true },
)

export const chatCompletionChunk = event('ChatCompletionChunk', {
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object(
      {
        index: Type.Integer(),
        delta: Type.Object(
          {
            role: optional(Type.String()),
            content: optional(textOrNull),
            refusal: optional(textOrNull),
            tool_calls: optional(Type.Array(toolCallDelta)),
          },
          { additionalProperties: true },
        ),
        finish_reason: optional(textOrNull),
      },
      { additionalProperties: true },
    ),
  ),
  usage: optional(Type.Union([anyObject, Type.Null()])),
})

export const textCompletionChunk = event('TextCompletionChunk', {
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object(
      { index: Type.Integer(), text: Type.String(), finish_reason: optional(textOrNull) },
      { additionalProperties: true },
    ),
  ),
})

export const audioEvent = event('AudioEvent', {
  type: Type.String({ examples: ['transcript.text.delta'] }),
  delta: optional(Type.String()),
  text: optional(Type.String()),
  audio: optional(Type.String({ description: 'Base64.' })),
})

export const imageEvent = event('ImageEvent', {
  type: Type.String({ examples: ['image_edit.partial_image'] }),
  b64_json: optional(Type.String()),
  partial_image_index: optional(Type.Integer()),
})
