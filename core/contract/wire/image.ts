/** The image generation request of the specification: `dall-e-2` is its older model, `dall-e-3` its newer one. */
import { Type } from '@sinclair/typebox'
import { givenModel, optional, refused, rule } from './rules.ts'

const absent = (explain: string) => ({
  anyOf: [{ type: 'null' }, refused(explain)],
  explain,
})

const oneOf = (...values: string[]) => ({
  anyOf: [{ type: 'null' }, { enum: values }],
  explain: `must be one of ${values.join(', ')} for this model`,
})

export const imageGenerateRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
    model: optional(Type.String({ minLength: 1 })),
    n: optional(Type.Integer({ minimum: 1, maximum: 10 })),
    quality: optional(Type.String()),
    response_format: optional(
      Type.Union([Type.Literal('url'), Type.Literal('b64_json')], {
        explain: 'must be url or b64_json',
      }),
    ),
    size: optional(Type.String()),
    style: optional(Type.String()),
    user: optional(Type.String()),
  },
  {
    additionalProperties: true,
    allOf: [
      // Other vendors' models have other styles.
      rule({ not: { required: ['model'] } }, { style: oneOf('vivid', 'natural') }),
      rule(givenModel('dall-e-2'), {
        prompt: { maxLength: 1000 },
        quality: oneOf('standard'),
        size: oneOf('256x256', '512x512', '1024x1024'),
        style: absent('is supported by the newer model only'),
      }),
      rule(givenModel('dall-e-3'), {
        prompt: { maxLength: 4000 },
        n: {
          anyOf: [{ type: 'null' }, { const: 1 }],
          explain: 'must be 1 for this model',
        },
        quality: oneOf('standard', 'hd'),
        size: oneOf('1024x1024', '1792x1024', '1024x1792'),
        style: oneOf('vivid', 'natural'),
      }),
    ],
  },
)
