/** What the store keeps of files and batches. */
/**
 * Id: the UUID of the file's own id. Attributes: `purpose`, `owner`, and `expires_day` (`2026-01-31`) where it expires.
 */
export type FileData = {
  /** `echo`: of the embedded provider, whose ids begin otherwise. */
  owner: Owner
  filename: string
  bytes: number
  purpose: string
  content_type: string
  /** Of its bytes in the store of files. */
  key: string
  /** Unix milliseconds; null: never. */
  expires_at: number | null
}

/** Whose objects they are. Those of one are never listed with those of the other. */
export type Owner = 'gateway' | 'echo'

/** The bytes of a workspace's files. Id: the workspace's. */
type FileTotalData = { bytes: number }

declare module '@gateway/core/domain' {
  interface DocumentDataByKind {
    file: FileData
    file_total: FileTotalData
  }
}
