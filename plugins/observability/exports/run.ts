/**
 * Writes exports to files, one line per entry, page by page, and resumes the exports of crashed processes. Files and
 * their exports are removed after 7 days.
 */
import {
  type DocumentWrite,
  faultReason,
  type Job,
  type LogEntry,
  type LogFilter,
  type ServiceContext,
} from '@gateway/contract'
import { eventWrite } from '@gateway/domain'
import { presentEntry, presentLog } from '../present.ts'
import { dayMs } from '../retention.ts'
import {
  type ExportData,
  type ExportDocument,
  type ExportStatus,
  exportKind,
  exportLine,
  showsBodies,
} from './data.ts'

const pageRows = 500
const keptMs = 7 * dayMs
const leaseMs = 60_000

export const blobKey = (id: string) => `log-exports/${id}`

export interface ExportRunner {
  /** Starts in the background. */
  start(id: string): void
  job: Job
}

/** The run was stopped or restarted in the meantime. */
class Overtaken extends Error {}

export function createExportRunner(
  context: ServiceContext<'beginWork' | 'blobs' | 'documents' | 'log' | 'logEntries' | 'now' | 'shared'>,
): ExportRunner {
  const { blobs, documents, log, logEntries, shared } = context
  const lease = (id: string) => `log-export:${id}`

  async function read(id: string): Promise<ExportDocument | null> {
    const found = await documents.get(exportKind, id)
    // Documents of this kind are written only here.
    return found as ExportDocument | null
  }

  async function end(
    document: ExportDocument,
    status: ExportStatus,
    own: Partial<ExportData>,
  ): Promise<void> {
    const now = context.now()
    const data = { ...document.data, ...own, ended_at: now }
    const { version, ...draft } = document
    await documents.commit([
      { op: 'put', expected: version, document: { ...draft, status, last_updated_at: now, data } },
      ...(status === 'success' ? [completedEvent(document, own.rows ?? 0, now)] : []),
    ])
  }

  async function* lines(document: ExportDocument, counted: { rows: number }): AsyncIterable<Uint8Array> {
    const { run, requested_data: fields } = document.data
    if (run === null) return
    let after: string | undefined
    let left = run.limit
    while (left > 0) {
      const limit = Math.min(pageRows, left)
      const page = after === undefined ? { offset: run.offset, limit } : { after, limit }
      const found = await logEntries.list(run.filter as LogFilter, page)
      const entries: readonly LogEntry[] = showsBodies(fields)
        ? await logEntries.read(found.map(({ id }) => id))
        : []
      const shown = showsBodies(fields) ? entries.map(presentEntry) : found.map(presentLog)
      counted.rows += shown.length
      left -= found.length
      after = found.at(-1)?.id
      if (shown.length > 0) yield Buffer.from(shown.map((each) => exportLine(each, fields)).join(''))
      if (found.length < limit) return
      const now = await read(document.id)
      if (now?.status !== 'in_progress' || now.version !== document.version) throw new Overtaken()
      await shared.delete(lease(document.id))
      await shared.acquire(lease(document.id), leaseMs)
    }
  }

  async function write(id: string): Promise<void> {
    if (!(await shared.acquire(lease(id), leaseMs))) return
    const done = context.beginWork()
    try {
      const document = await read(id)
      if (document?.status !== 'in_progress') return
      const counted = { rows: 0 }
      try {
        await blobs.put(blobKey(id), lines(document, counted))
        await end(document, 'success', { rows: counted.rows, error: null })
      } catch (error) {
        if (error instanceof Overtaken) return
        log.error({ export_id: id, reason: faultReason(error) }, 'log export failed')
        await end(document, 'failed', {
          error:
            "The log could not be read or the file could not be written. The gateway's log has the cause.",
        })
      }
    } finally {
      done()
      await shared.delete(lease(id))
    }
  }

  const start = (id: string) => {
    write(id).catch((error: unknown) => {
      log.error({ export_id: id, reason: faultReason(error) }, 'failed to finish a log export')
    })
  }

  async function each(statuses: string[], act: (document: ExportDocument) => Promise<void>): Promise<void> {
    const { documents: found } = await documents.list(
      exportKind,
      { statuses },
      { sort: 'created_at', order: 'asc', offset: 0, limit: 1000 },
    )
    for (const document of found) await act(document as ExportDocument)
  }

  return {
    start,
    job: {
      name: 'log-exports',
      intervalMs: 30_000,
      async run(nowMs) {
        await each(['in_progress'], ({ id }) => write(id))
        await each(['success', 'failed', 'stopped'], async ({ id, data }) => {
          if ((data.ended_at ?? 0) > nowMs - keptMs) return
          await blobs.remove(blobKey(id))
          await documents.commit([{ op: 'remove', kind: exportKind, id }])
        })
      },
    },
  }
}

function completedEvent(
  { id, name, organisation_id, workspace_id }: ExportDocument,
  rows: number,
  nowMs: number,
): DocumentWrite {
  const data = { id, object: 'export', name, status: 'success', rows }
  const place = { organisation_id: organisation_id ?? '', workspace_id }
  return eventWrite({ type: 'export.completed', ...place, data }, nowMs)
}
