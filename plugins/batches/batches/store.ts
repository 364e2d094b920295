/** Reads batch documents and changes them one step at a time, safely with concurrent changes. */
import { type DocumentWrite, isGatewayError, type ServiceContext } from '@gateway/contract'
import type { BatchState } from '@gateway/contract/wire'
import { type DocumentOf, typedDocuments } from '@gateway/domain'
import type { BatchData } from '../shared/entities.ts'
import { notFound } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { endEvents } from './batch-event.ts'
import { releaseHold } from './hold.ts'

export type BatchDocument = DocumentOf<'batch'>

/** Returns the changed batch, or null for no change. */
type BatchChange = (
  batch: BatchDocument,
) => { status?: BatchState; data?: Partial<BatchData>; also?: readonly DocumentWrite[] } | null

export interface BatchStore {
  get(id: string): Promise<BatchDocument | null>
  /** Errors: 404 `not_found`. */
  find(written: string, workspaceId: string): Promise<BatchDocument>
  /**
   * Returns the batch after the call, changed or not. Null if it no longer exists. `isQuiet`: no process is notified.
   */
  change(id: string, change: BatchChange, isQuiet?: boolean): Promise<BatchDocument | null>
  /** Batches that have not ended, oldest first. */
  live(): Promise<BatchDocument[]>
  /** Whether a provider's batch belongs to another batch of the workspace. */
  hasProviderBatch(batch: BatchDocument, providerBatchId: string): Promise<boolean>
  /** Live batches that callers created at a provider, newest first: one, or those of a workspace. */
  watched(which: { providerBatchId?: string; workspaceId?: string }): Promise<BatchDocument[]>
  /** The id, as callers see it, of the batch that is reading a file now. */
  readerOf(fileDocumentId: string, workspaceId: string): Promise<BatchDocument | null>
}

const liveStates = ['validating', 'in_progress', 'finalizing', 'cancelling'] as const

export const isLive = ({ status }: Pick<BatchDocument, 'status'>): boolean =>
  liveStates.some((state) => state === status)

const maxTries = 50
const mostLive = 1000
const mostWatched = 50

export function createBatchStore(context: ServiceContext<'counters' | 'documents' | 'now'>): BatchStore {
  const { now } = context
  const documents = typedDocuments(context.documents)
  const get = (id: string) => documents.get('batch', id)
  return {
    get,
    async find(written, workspaceId) {
      const read = readId('batch', written)
      const found = read === null || read.id === '' ? null : await get(read.id)
      if (found === null || found.workspace_id !== workspaceId || found.data.owner !== read?.owner)
        throw notFound('batch', written, 'path/batch_id')
      return found
    },
    async change(id, change, isQuiet = false) {
      for (let tries = 1; ; tries += 1) {
        const batch = await get(id)
        if (batch === null) return null
        const changed = change(batch)
        if (changed === null) return batch
        const { version, ...draft } = batch
        const document = {
          ...draft,
          status: changed.status ?? batch.status,
          last_updated_at: now(),
          data: { ...batch.data, ...changed.data },
        }
        const isEnding = isLive(batch) && !isLive(document)
        if (isEnding) await releaseHold(context, document.data.provider?.hold)
        try {
          await documents.commit([
            { op: 'put', document, expected: version, isQuiet },
            ...(changed.also ?? []),
            ...(document.status === batch.status ? [] : endEvents(document, now())),
          ])
          return { ...document, version: version + 1 }
        } catch (error) {
          if (tries >= maxTries || !isGatewayError(error) || error.code !== 'precondition_failed') throw error
        }
      }
    },
    async live() {
      const page = await documents.list(
        'batch',
        { statuses: [...liveStates] },
        { sort: 'created_at', order: 'asc', offset: 0, limit: mostLive },
      )
      return page.documents
    },
    async hasProviderBatch({ id, workspace_id }, providerBatchId) {
      const page = await documents.list(
        'batch',
        { workspace_ids: [workspace_id ?? ''] },
        { sort: 'created_at', order: 'desc', offset: 0, limit: mostLive },
      )
      return page.documents.some((one) => one.id !== id && one.data.provider?.batch_id === providerBatchId)
    },
    async watched({ providerBatchId, workspaceId }) {
      const page = await documents.list(
        'batch',
        {
          ...(workspaceId === undefined ? {} : { workspace_ids: [workspaceId] }),
          statuses: [...liveStates],
          attributes: {
            owner: ['provider'],
            ...(providerBatchId === undefined ? {} : { provider_batch: [providerBatchId] }),
          },
        },
        { sort: 'created_at', order: 'desc', offset: 0, limit: mostWatched },
      )
      return page.documents
    },
    async readerOf(fileDocumentId, workspaceId) {
      const page = await documents.list(
        'batch',
        {
          workspace_ids: [workspaceId],
          statuses: [...liveStates],
          attributes: { input_file: [fileDocumentId] },
        },
        { offset: 0, limit: 1 },
      )
      return page.documents[0] ?? null
    },
  }
}
