/** A form that uploads one file to a provider with the credential of a batch's or job's creator. */
import { randomBytes } from 'node:crypto'
import type { JsonObject } from '@gateway/contract'

export interface UploadFields {
  purpose: string
  filename: string
  /** The place where a provider stores its files. */
  options: JsonObject | null
}

export function uploadForm(fields: UploadFields, content: AsyncIterable<Uint8Array>) {
  const boundary = `gateway-${randomBytes(18).toString('base64url')}`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: formOf(boundary, fields, content),
  }
}

async function* formOf(
  boundary: string,
  { purpose, filename, options }: UploadFields,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`
  const name = filename.replace(/[\r\n"\\]/g, '_')
  yield Buffer.from(`${part('name="purpose"')}\r\n${purpose}\r\n`)
  if (options !== null)
    yield Buffer.from(`${part('name="provider_options"')}\r\n${JSON.stringify(options)}\r\n`)
  yield Buffer.from(`${part(`name="file"; filename="${name}"`)}content-type: application/jsonl\r\n\r\n`)
  yield* content
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}
