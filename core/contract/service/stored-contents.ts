/**
 * Contents that a service stores outside the ports, such as files on a disk. `gateway export` and `gateway import` move
 * them.
 */
import type { StoredDocument } from '../store.ts'
import type { ServiceContext } from './context.ts'

export interface StoredContents {
  /** The kind of the documents that refer to contents. */
  kind: string
  /** Whether contents are blobs of the store, which are moved with all others. */
  isInStore: boolean
  describe(document: StoredDocument): StoredContent
  /** The key of the content that is a blob under this key in a store with {@link isInStore}; null for other blobs. */
  keyOfBlob(blobKey: string): string | null
  /** Null if nothing is stored under this key. Errors: `store_unavailable`. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | null>
  /** Stores all bytes, or nothing if the source fails. Errors: `store_unavailable`. */
  put(key: string, source: AsyncIterable<Uint8Array>): Promise<number>
}

export interface StoredContent {
  key: string
  /** The id that callers know, for messages. */
  id: string
  sizeBytes: number
}

export type ContentsContext = ServiceContext<'files' | 'fetch' | 'now' | 'blobs'>
