/** The event of a batch that has ended, for the commit that ends it. */
import type { DocumentWrite, StoredDocument } from '@gateway/contract'
import { eventWrite } from '@gateway/domain'
import type { BatchData } from '../shared/entities.ts'
import { writeId } from '../shared/ids.ts'

const endedStates: readonly string[] = ['completed', 'failed', 'expired', 'cancelled']

/** Empty for a running batch. */
export function endEvents(batch: Omit<StoredDocument<BatchData>, 'version'>, nowMs: number): DocumentWrite[] {
  const { id, status, organisation_id, workspace_id, data } = batch
  if (!endedStates.includes(status)) return []
  const event = {
    type: `batch.${status}`,
    organisation_id: organisation_id ?? '',
    workspace_id,
    data: {
      id: writeId('batch', data.owner, id),
      object: 'batch',
      status,
      endpoint: data.endpoint,
      model: data.model,
      input_file_id: data.input_file_id,
      output_file_id: data.output_file_id,
      error_file_id: data.error_file_id,
      request_counts: { ...data.counts },
    },
  }
  return [eventWrite(event, nowMs)]
}
