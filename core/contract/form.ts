/** A streamed form (`multipart/form-data`), for files too large for memory. */

export interface FormField {
  kind: 'field'
  name: string
  value: string
}

export interface FormFile {
  kind: 'file'
  /** The name of the form field. */
  name: string
  filename: string
  contentType: string
  /** Must be read to its end, or cancelled, before the next part is requested. */
  bytes: AsyncIterable<Buffer>
}

/** Parts in the order in which they arrive. */
export type FormParts = AsyncIterable<FormField | FormFile>
