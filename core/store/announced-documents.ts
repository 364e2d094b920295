/**
 * Documents whose changes are told to other processes at once, by a message on the shared state: they look for changes
 * then, instead of at their next look. A message that is lost costs time, not truth.
 */
import type { Documents, SharedState } from '@gateway/contract'

const topic = 'documents'

export interface AnnounceOptions {
  documents: Documents
  shared: SharedState
  /** Hears of messages that could not be sent, and of looks that failed. */
  report(error: unknown): void
}

export async function announceChanges({ documents, shared, report }: AnnounceOptions): Promise<Documents> {
  const own = Math.random().toString(36).slice(2)
  await shared
    .subscribe(topic, (sender) => {
      if (sender !== own) documents.refresh().catch(report)
    })
    .catch(report)
  return {
    ...documents,
    async commit(writes) {
      const written = await documents.commit(writes)
      if (writes.some((write) => write.op === 'remove' || write.isQuiet !== true))
        shared.publish(topic, own).catch(report)
      return written
    },
  }
}
