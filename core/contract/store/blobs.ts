/** Blobs: bytes by key, such as uploaded files. Errors: `store_unavailable`, `not_found` while reading. */
export interface BlobHead {
  key: string
  sizeBytes: number
  /** Milliseconds since the epoch. */
  created_at: number
}

export interface Blobs {
  /**
   * Writes all bytes, then publishes them atomically, replacing an earlier blob. A failing source leaves nothing.
   * `created_at` is now unless it is given.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, created_at?: number): Promise<BlobHead>
  head(key: string): Promise<BlobHead | null>
  /** The bytes from `start` on; null if no such blob exists. */
  get(key: string, start?: number): Promise<AsyncIterable<Uint8Array> | null>
  remove(key: string): Promise<boolean>
  /** Lists blobs in key order, after the key `after`. */
  list(prefix: string, after: string | null, limit: number): Promise<BlobHead[]>
}
