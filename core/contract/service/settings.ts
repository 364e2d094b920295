/** Sections of the config file that services read. */

/** The location and retention of stored files: `files` of the config file. */
export interface FileSettings {
  store: 'disk' | 'database' | 's3'
  /** The absolute path of the store `disk`. */
  dir: string
  /** The largest size of one file. */
  maxBytes: number
  /** The largest total size of the files of a workspace. */
  maxTotalBytes: number
  retentionDays: number
  s3: S3Settings | null
}

export interface S3Settings {
  /** Null: the endpoint of the region. */
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
