/** `multipart/form-data` bodies (RFC 7578), for endpoints with files. */
import { randomBytes } from 'node:crypto'
import type { EncodedBody, UploadedFile } from '@gateway/contract'

/** A text field; a list is sent as several fields of one name. */
export type FormFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Builds a body of fields, then files. Names and file names are escaped as in browsers. */
export function multipart(fields: FormFields, files: readonly UploadedFile[]): EncodedBody {
  const boundary = `gateway-${randomBytes(18).toString('base64url')}`
  const pieces: Buffer[] = []
  const part = (head: string, bytes: Buffer) =>
    pieces.push(
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      bytes,
      lineEnd,
    )
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value])
      part(`name="${escapeName(name)}"`, Buffer.from(String(item)))
  }
  for (const { field, filename, contentType, bytes } of files) {
    const type = contentType.replace(/[\r\n]/g, '')
    part(`name="${escapeName(field)}"; filename="${escapeName(filename)}"\r\ncontent-type: ${type}`, bytes)
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(pieces) }
}

const lineEnd = Buffer.from('\r\n')

export const escapeName = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
