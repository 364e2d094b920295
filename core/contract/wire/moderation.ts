/**
 * The moderation request of the compatible format.
 * Reference: https://platform.openai.com/docs/api-reference/moderations
 */
import { Type } from '@sinclair/typebox'
import { optional } from './rules.ts'

/** `{type: "text", text}` or `{type: "image_url", image_url: {url}}`. */
const part = Type.Object({ type: Type.String() }, { additionalProperties: true })

export const moderationRequest = Type.Object(
  {
    input: Type.Union([Type.String(), Type.Array(Type.String()), Type.Array(part)], {
      explain: 'must be a string, or an array of strings or of objects with a type',
    }),
    model: optional(Type.String({ minLength: 1 })),
  },
  { additionalProperties: true },
)
