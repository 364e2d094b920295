/** Forms for requests, and what an upstream read of one. */
import type { UploadedFile } from '@gateway/contract'
import type { SeenRequest } from './upstream.ts'

/** Bytes that are not text in any encoding. */
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

/** The form that an upstream received, as parsed by Node. */
export async function readForm({ headers, bytes }: SeenRequest) {
  const type = headers['content-type'] ?? ''
  const data = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  const fields: [name: string, value: string][] = []
  const files: UploadedFile[] = []
  for (const [field, value] of data) {
    if (typeof value === 'string') fields.push([field, value])
    else files.push(await readFile(field, value))
  }
  return { fields, files }
}

const readFile = async (field: string, file: File): Promise<UploadedFile> => ({
  field,
  filename: file.name,
  contentType: file.type,
  bytes: Buffer.from(await file.arrayBuffer()),
})
