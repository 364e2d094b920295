/**
 * The image edit request of the compatible format: a form with the images as files, or JSON with `images` by URL or
 * file id. Sizes, qualities and formats depend on the provider. Reference:
 * https://platform.openai.com/docs/api-reference/images/createEdit
 */
import { Type } from '@sinclair/typebox'
import { optional } from './rules.ts'
import type { FormRules } from './uploads.ts'

/** `{image_url}` or `{file_id}`. */
const image = Type.Object({}, { additionalProperties: true })

const text = optional(Type.String())

const mostImages = 16

export const imageEditRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
    model: optional(Type.String({ minLength: 1 })),
    images: optional(Type.Array(image, { minItems: 1, maxItems: mostImages })),
    n: optional(Type.Integer({ minimum: 1, maximum: 10 })),
    background: text,
    input_fidelity: text,
    moderation: text,
    output_compression: optional(Type.Integer({ minimum: 0, maximum: 100 })),
    output_format: text,
    partial_images: optional(Type.Integer({ minimum: 0, maximum: 3 })),
    quality: text,
    response_format: optional(
      Type.Union([Type.Literal('url'), Type.Literal('b64_json')], { explain: 'must be url or b64_json' }),
    ),
    size: text,
    stream: optional(Type.Boolean()),
    user: text,
  },
  { additionalProperties: true },
)

/** Some providers take `image` as a text: a URL, or base64. */
export const imageEditForm: FormRules = {
  files: [
    { field: 'image', least: 1, most: mostImages, unless: ['images', 'image'] },
    { field: 'mask', least: 0, most: 1 },
  ],
  orJson: true,
}
