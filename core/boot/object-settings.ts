/** Settings of files and batches: those of the config file, and defaults that depend on how the process runs. */
import { resolve } from 'node:path'
import type { ConfigFile } from '@gateway/config-file'
import type { BatchSettings, FileSettings } from '@gateway/contract'
import { type Options, storeUrlOf } from './options.ts'

/** Replicas on one Postgres are assumed not to share a disk, unless `files.store` is set to `disk`. */
export function fileSettings({ files }: ConfigFile, options: Options): FileSettings {
  const isShared = /^postgres(?:ql)?:/i.test(storeUrlOf(options))
  return {
    store: files.store ?? (isShared ? 'database' : 'disk'),
    dir: resolve(files.dir ?? `${options.dataDir}/files`),
    maxBytes: files.max_bytes,
    maxTotalBytes: files.max_total_bytes,
    retentionDays: files.retention_days,
    s3: files.s3,
  }
}

export const batchSettings = ({ batches }: ConfigFile): BatchSettings => ({
  concurrency: batches.concurrency,
  totalConcurrency: batches.total_concurrency,
  pollMs: batches.poll_ms,
})
