/** The rerank request of the specification. */
import { Type } from '@sinclair/typebox'
import { optional } from './rules.ts'

const document = Type.Union(
  [Type.String(), Type.Object({ text: Type.String() }, { additionalProperties: true })],
  { explain: 'must be a string or an object with a text field' },
)

export const rerankRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    query: Type.String(),
    documents: Type.Array(document, { minItems: 1 }),
    top_n: optional(Type.Integer({ minimum: 1 })),
    return_documents: optional(Type.Boolean()),
    max_tokens_per_document: optional(Type.Integer({ minimum: 1 })),
    rank_fields: optional(Type.Array(Type.String())),
    truncation: optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
