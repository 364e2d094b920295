/** Forms for requests, and what an upstream read of one. */
import { boundaryOf, parseMultipart } from '#core/server/body/parse-multipart'
import type { SeenRequest } from './upstream.ts'

/** Bytes that are no text in any encoding. */
export const sound = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) % 256))

export interface FileField {
  field?: string
  filename?: string
  type?: string
  bytes?: Buffer
}

/** A form with these fields, in order, and these files. */
export function form(fields: readonly [name: string, value: string][], ...files: FileField[]): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  for (const { field = 'file', filename = 'a.wav', type = 'audio/wav', bytes = sound } of files)
    data.append(field, new File([new Uint8Array(bytes)], filename, { type }))
  return data
}

/** The form that reached an upstream. */
export function readForm({ headers, bytes }: SeenRequest) {
  const boundary = boundaryOf(headers['content-type'] ?? '') ?? ''
  const { fields, files } = parseMultipart(bytes, boundary, { maxFields: 1000, maxFiles: 1000 })
  return { fields: fields.map(({ name, value }): [string, string] => [name, value]), files }
}
