/**
 * Documents whose changes are announced to other processes by a message over shared state. The other processes then
 * poll immediately. A lost message only delays the change.
 */
import type { Documents, SharedState } from '@gateway/contract'

const topic = 'documents'

export interface AnnounceOptions {
  documents: Documents
  shared: SharedState
  /** Called for failed messages and failed polls. */
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
