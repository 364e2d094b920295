/** Sections of the config file that services read. */

/** Where and how long files are stored: `files` of the config file. */
export interface FileSettings {
  store: 'disk' | 'database' | 's3'
  /** The absolute path of the store `disk`. */
  dir: string
  /** The largest size of one file. */
  maxBytes: number
  /** The largest size of all files of a workspace together. */
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
