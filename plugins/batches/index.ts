/** Files and batches: those that the gateway stores and runs itself, and those of providers. */
import { defineService, faultReason } from '@gateway/contract'
import { chargeFileFirst } from './batches/charge-first.ts'
import { batchHandlers } from './batches/routes.ts'
import { type BatchDocument, createBatchStore } from './batches/store.ts'
import { createScheduler, engineOf, workNeeds } from './engine/index.ts'
import { fileContents } from './files/contents.ts'
import { createFileLibrary } from './files/library.ts'
import { fileHandlers } from './files/routes.ts'
import { jobEnds } from './fine-tuning/job-ends.ts'
import { createProviderJobs } from './fine-tuning/provider-job.ts'
import { fineTuningHandlers } from './fine-tuning/routes.ts'
import { runBatch } from './runner/run-batch.ts'
import { createAuditLog } from './shared/audit.ts'
import { writeId } from './shared/ids.ts'

const sweepMs = 600_000
const measureMs = 15_000

export default defineService({
  name: 'batches',
  title: 'Files and batches',
  contents: fileContents,
  needs: [
    ...workNeeds,
    'batchLinesOf',
    'blobs',
    'bodyLimitBytes',
    'fetch',
    'files',
    'priceOf',
    'sealer',
    'validator',
  ],
  open(given) {
    const { context, backOff, slots, handOver } = engineOf(given)
    const files = createFileLibrary(context)
    const batches = createBatchStore(context)
    const audit = createAuditLog(context)
    const parts = { context, files, batches, handOver, backOff, slots }
    const providerJobs = createProviderJobs(context, files)
    let measuredAt = Number.NEGATIVE_INFINITY
    const measure = () => {
      if (context.now() - measuredAt < measureMs) return
      measuredAt = context.now()
      // An unavailable store is reported when it is needed.
      files.totalBytes().then(context.metrics.filesBytes, () => undefined)
    }
    const scheduler = createScheduler({
      context,
      kind: 'batch',
      store: batches,
      run: (batch, around) => runBatch(parts, { batch, ...around }),
      found: (live) => context.metrics.batches(countsOf(live)),
      look() {
        handOver.nudge()
        providerJobs.look()
        measure()
      },
    })
    return {
      routes: [],
      endpoints: {
        ...fileHandlers({
          context,
          files,
          audit,
          async reader(fileId, workspaceId) {
            const batch = await batches.readerOf(fileId, workspaceId)
            return batch === null ? null : writeId('batch', batch.data.owner, batch.id)
          },
          chargeFirst: (request) => chargeFileFirst({ context, batches }, request),
        }),
        ...fineTuningHandlers({ context, files, audit, nudge: providerJobs.nudge }),
        ...batchHandlers({
          context,
          files,
          batches,
          audit,
          nudge: scheduler.nudge,
        }),
      },
      jobs: [{ name: 'files', intervalMs: sweepMs, run: (nowMs) => files.sweep(nowMs) }, jobEnds(context)],
      async close() {
        await Promise.all([scheduler.close(), providerJobs.close()])
        // Everything else is delivered after the next start.
        await handOver.all().catch((error: unknown) => {
          const reason = faultReason(error)
          context.log.warn(
            { reason },
            'failed to deliver batch results during shutdown; the next process continues',
          )
        })
      },
    }
  },
})

function countsOf(live: readonly BatchDocument[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of live) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
