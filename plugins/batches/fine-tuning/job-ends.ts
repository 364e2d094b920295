/**
 * The events of jobs that have ended. A job ends with the passage of time, and a periodic sweep emits its event once.
 */
import { type DocumentWrite, isGatewayError, type Job, type ServiceContext } from '@gateway/contract'
import { eventWrite, typedDocuments } from '@gateway/domain'
import type { JobDocument } from './entities.ts'
import { isLive, presentJob, stateOf } from './timeline.ts'

const kind = 'fine_tuning_job'
const pageSize = 100

/** The event of an ended job, for the commit that records it. */
export function endEvent(job: JobDocument, nowMs: number): DocumentWrite {
  const { organisation_id, workspace_id } = job
  const event = {
    type: `fine_tuning.job.${stateOf(job, nowMs).status}`,
    organisation_id: organisation_id ?? '',
    workspace_id,
    data: presentJob(job, nowMs),
  }
  return eventWrite(event, nowMs)
}

export const jobEnds = (context: ServiceContext<'documents'>): Job => ({
  name: 'fine-tuning-ends',
  intervalMs: 5000,
  async run(nowMs) {
    const documents = typedDocuments(context.documents)
    const { documents: live } = await documents.list(
      kind,
      { attributes: { live: ['true'] } },
      { sort: 'created_at', order: 'asc', offset: 0, limit: pageSize },
    )
    for (const job of live) {
      if (isLive(job, nowMs)) continue
      const { version, ...draft } = job
      const document = { ...draft, attributes: { owner: [job.data.owner] } }
      try {
        await documents.commit([
          { op: 'put', isQuiet: true, document, expected: version },
          endEvent(job, nowMs),
        ])
      } catch (error) {
        // Cancelled in the meantime, which emits its own event.
        if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
      }
    }
  },
})
