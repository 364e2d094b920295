/** Writes a validated export into a store in batches, each for one port; records with the same id are replaced. */
import type { DocumentWrite, KeptWindow, LogEntry, LogFeedback, Ports } from '@gateway/contract'
import { migrateDocument } from '../../tenancy/secrets/migrate.ts'
import type { MasterSealer } from '../../tenancy/secrets/sealer.ts'
import { readRecord } from './check-lines.ts'
import type { Content, TransferRecord } from './record.ts'

type Target = Pick<Ports, 'documents' | 'counters' | 'log' | 'blobs'>
type Batched = Extract<
  Content,
  { type: 'document' | 'budget' | 'window' | 'log' | 'feedback' | 'aggregates' }
>

const batchSize = 500

export async function importLines(
  lines: AsyncIterable<string>,
  ports: Target,
  sealer: MasterSealer,
): Promise<void> {
  let batch: Batched[] = []
  async function flush(): Promise<void> {
    const written = batch
    batch = []
    await writeBatch(written, ports, sealer)
  }

  const records = readRecords(lines)
  for (let next = await records.next(); next.done !== true; ) {
    const record = next.value
    if (record.type === 'blob') {
      await flush()
      next = await writeBlob(record, records, ports)
      continue
    }
    if (isBatched(record)) {
      if (batch.length >= batchSize || (batch[0] !== undefined && batch[0].type !== record.type))
        await flush()
      batch.push(record)
    }
    next = await records.next()
  }
  await flush()
}

const batchedTypes: ReadonlySet<string> = new Set<Batched['type']>([
  'document',
  'budget',
  'window',
  'log',
  'feedback',
  'aggregates',
])

const isBatched = (record: TransferRecord): record is Batched => batchedTypes.has(record.type)

async function* readRecords(lines: AsyncIterable<string>): AsyncGenerator<TransferRecord, void> {
  let number = 0
  for await (const text of lines) {
    number += 1
    yield readRecord(text, number)
  }
}

async function writeBatch(
  batch: readonly Batched[],
  { documents, counters, log }: Target,
  sealer: MasterSealer,
): Promise<void> {
  const writes: DocumentWrite[] = []
  const budgets: { key: string; used: number }[] = []
  const windows: KeptWindow[] = []
  const entries: LogEntry[] = []
  const feedback: LogFeedback[] = []
  for (const record of batch) {
    if (record.type === 'log') entries.push(record.entry)
    else if (record.type === 'feedback') feedback.push(record.feedback)
    else if (record.type === 'aggregates') await log.aggregates?.put(record.hour)
    else if (record.type === 'budget') budgets.push({ key: record.key, used: record.used })
    else if (record.type === 'window') windows.push({ key: record.key, use: record.use })
    else {
      // Exports of earlier versions may contain secrets in clear.
      const { version, ...document } = migrateDocument(record.document, sealer)
      writes.push({ op: 'put', document, version })
    }
  }
  if (writes.length > 0) await documents.commit(writes)
  if (budgets.length > 0) await counters.seed(budgets)
  if (windows.length > 0) await counters.seedWindows(windows)
  if (entries.length > 0) await log.append(entries)
  if (feedback.length > 0) await log.feedback.put(feedback)
}

/** Writes a blob and the bytes that follow it; returns the record after them. */
async function writeBlob(
  { key, created_at }: Extract<Content, { type: 'blob' }>,
  records: AsyncGenerator<TransferRecord, void>,
  { blobs }: Target,
): Promise<IteratorResult<TransferRecord, void>> {
  let next = await records.next()
  async function* bytes(): AsyncIterable<Uint8Array> {
    for (; next.done !== true && next.value.type === 'bytes'; next = await records.next()) {
      yield Buffer.from(next.value.data, 'base64')
    }
  }
  await blobs.put(key, bytes(), created_at)
  return next
}
