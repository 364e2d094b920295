/** The contents of files, for `gateway export` and `gateway import`. */
import type { ServiceContext, StoredContents } from '@gateway/contract'
import type { FileData } from '../shared/entities.ts'
import { writeId } from '../shared/ids.ts'
import { keyOfBlob } from './store/database.ts'
import { openFileStore } from './store/index.ts'

export function fileContents(context: ServiceContext<'blobs' | 'fetch' | 'files' | 'now'>): StoredContents {
  const { get, put } = openFileStore(context)
  return {
    kind: 'file',
    isInStore: context.files().store === 'database',
    describe({ id, data }) {
      const { key, bytes, owner } = data as FileData
      return { key, id: writeId('file', owner, id), sizeBytes: bytes }
    },
    keyOfBlob,
    get,
    put,
  }
}
