/**
 * Image edits in the compatible format: a form if the caller uploaded images, otherwise JSON that refers to them. The
 * answer is JSON, or events with images (`stream`).
 * Reference: https://platform.openai.com/docs/api-reference/images/createEdit
 */
import type { Dialect, HttpEndpoint } from '@gateway/contract'
import { compatibleError } from './errors.ts'
import { encodeForm } from './form.ts'
import { type BodyRules, reshape } from './reshape.ts'
import { typedStream } from './typed-stream.ts'

function imageEditDialect(rules: BodyRules = {}): Dialect {
  return {
    name: 'compatible-image-edit',
    request: (body) => reshape(body, rules),
    encode: (body, { files }) =>
      files.length > 0
        ? encodeForm(body, files)
        : { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body)) },
    answer: (body) => body,
    otherwise: 'nothing',
    stream: () => typedStream('image_edit.completed'),
    error: compatibleError,
  }
}

export const imageEditEndpoint: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: '/images/edits',
  dialect: imageEditDialect(),
}
