/** Where the bytes of files are kept. Errors: `store_unavailable`. */
export interface FileStore {
  /** Keeps all bytes under a key, or nothing when the source fails. Gives their number. */
  put(key: string, source: AsyncIterable<Uint8Array>): Promise<number>
  /** Null when there is nothing under this key. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | null>
  remove(key: string): Promise<void>
  /** Removes what an upload left that a kill ended. */
  sweep(nowMs: number): Promise<void>
}
