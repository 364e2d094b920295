/** Stores the bytes of files. Errors: `store_unavailable`. */
export interface FileStore {
  /** Stores all bytes under a key, or nothing if the source fails. Returns their number. */
  put(key: string, source: AsyncIterable<Uint8Array>): Promise<number>
  /** Null if nothing is stored under this key. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | null>
  remove(key: string): Promise<void>
  /** Removes the remains of uploads that a killed process did not complete. */
  sweep(nowMs: number): Promise<void>
}
