/** Sections of the config file that services read. */

/** Where and how long files are stored: `files` of the config file. */
export interface FileSettings {
  store: 'disk' | 'database' | 's3'
  /** Of the store `disk`; absolute. */
  dir: string
  /** Of one file. */
  maxBytes: number
  /** Of all files of a workspace. */
  maxTotalBytes: number
  retentionDays: number
  s3: S3Settings | null
}

export interface S3Settings {
  endpoint?: string | undefined
  region: string
  bucket: string
  prefix?: string | undefined
  access_key_id?: string | undefined
  secret_access_key?: string | undefined
  force_path_style?: boolean | undefined
}

/** `batches` of the config file. */
export interface BatchSettings {
  concurrency: number
  totalConcurrency: number
  pollMs: number
}
