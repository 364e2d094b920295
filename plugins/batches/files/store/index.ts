/** The file store that the config file selects. */
import { GatewayError, type ServiceContext } from '@gateway/contract'
import { createDatabaseStore } from './database.ts'
import { createDiskStore } from './disk.ts'
import type { FileStore } from './file-store.ts'
import { createS3Store } from './s3.ts'

export type { FileStore } from './file-store.ts'

/** Read once at startup, because files are not moved between stores. */
export function openFileStore(context: ServiceContext<'blobs' | 'fetch' | 'files' | 'now'>): FileStore {
  const settings = context.files()
  if (settings.store === 'database') return createDatabaseStore(context.blobs)
  if (settings.store === 'disk') return createDiskStore(settings.dir)
  if (settings.s3 === null) throw new GatewayError('invalid_config', '/files/s3: is required with store: s3')
  return createS3Store(settings.s3, context)
}
