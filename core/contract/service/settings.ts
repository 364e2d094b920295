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
  /** Null: the one of the region. */
  endpoint: string | null
  region: string
  bucket: string
  prefix: string | null
  /** Null, like its secret: requests are not signed. */
  access_key_id: string | null
  secret_access_key: string | null
  force_path_style: boolean
}

/** `batches` of the config file. */
export interface BatchSettings {
  concurrency: number
  totalConcurrency: number
  pollMs: number
}
