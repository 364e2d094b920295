/** A form (`multipart/form-data`) that is read while it arrives, for files that no memory is to hold. */

export interface FormField {
  kind: 'field'
  name: string
  value: string
}

export interface FormFile {
  kind: 'file'
  /** Of the form field. */
  name: string
  filename: string
  contentType: string
  /** To be read to its end, or given up, before the next part is asked for. */
  bytes: AsyncIterable<Buffer>
}

/** Parts in the order in which they arrive. */
export type FormParts = AsyncIterable<FormField | FormFile>
