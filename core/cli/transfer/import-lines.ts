/** Writes a validated export into a store in batches, each for one port; records with the same id are replaced. */
import {
  type DocumentWrite,
  GatewayError,
  type KeptWindow,
  type LogEntry,
  type LogFeedback,
  type Ports,
  type StoredContents,
} from '@gateway/contract'
import { type MasterSealer, migrateDocument } from '../../tenancy/index.ts'
import { readRecord } from './check-lines.ts'
import type { Content, TransferRecord } from './record.ts'

type Target = Pick<Ports, 'documents' | 'counters' | 'log' | 'blobs'>
type Batched = Extract<
  Content,
  { type: 'document' | 'budget' | 'window' | 'log' | 'feedback' | 'aggregates' }
>

const batchSize = 500

export interface ImportTarget {
  ports: Target
  /** The contents of services that store them elsewhere. */
  contents: readonly StoredContents[]
  sealer: MasterSealer
}

export async function importLines(
  lines: AsyncIterable<string>,
  { ports, contents, sealer }: ImportTarget,
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
    if (record.type === 'blob' || record.type === 'content') {
      await flush()
      next =
        record.type === 'blob'
          ? await writeBlob(record, records, { ports, contents })
          : await writeContent(record, records, contents)
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

/** The bytes that follow a record. Once they have ended, `next` is the record after them. */
class FollowingBytes {
  next: IteratorResult<TransferRecord, void> = { done: true, value: undefined }
  size = 0
  readonly #records: AsyncGenerator<TransferRecord, void>

  constructor(records: AsyncGenerator<TransferRecord, void>) {
    this.#records = records
  }

  async *read(): AsyncIterable<Uint8Array> {
    this.next = await this.#records.next()
    for (
      ;
      this.next.done !== true && this.next.value.type === 'bytes';
      this.next = await this.#records.next()
    ) {
      const bytes = Buffer.from(this.next.value.data, 'base64')
      this.size += bytes.length
      yield bytes
    }
  }
}

interface WriteBlobOptions {
  ports: Target
  contents: readonly StoredContents[]
}

/** Writes a blob; returns the record after its bytes. Files in the database of the exporting store may move to a disk. */
async function writeBlob(
  { key, created_at }: Extract<Content, { type: 'blob' }>,
  records: AsyncGenerator<TransferRecord, void>,
  { ports: { blobs }, contents }: WriteBlobOptions,
): Promise<IteratorResult<TransferRecord, void>> {
  const following = new FollowingBytes(records)
  const elsewhere = contents.find((stored) => !stored.isInStore && stored.keyOfBlob(key) !== null)
  if (elsewhere === undefined) await blobs.put(key, following.read(), created_at)
  else await elsewhere.put(elsewhere.keyOfBlob(key) ?? key, following.read())
  return following.next
}

class Unreadable extends Error {}

/** Writes a content to the place where this gateway stores such contents; returns the record after it. */
async function writeContent(
  { kind, key, id }: Extract<Content, { type: 'content' }>,
  records: AsyncGenerator<TransferRecord, void>,
  contents: readonly StoredContents[],
): Promise<IteratorResult<TransferRecord, void>> {
  const stored = contents.find((one) => one.kind === kind)
  if (stored === undefined)
    throw new GatewayError('invalid_file', `No package of this gateway stores the content of ${id}.`)
  const following = new FollowingBytes(records)
  // A failing source leaves nothing behind.
  async function* complete(): AsyncIterable<Uint8Array> {
    yield* following.read()
    if (following.next.value?.type === 'unreadable') throw new Unreadable()
  }
  try {
    const size = await stored.put(key, complete())
    if (size !== following.size)
      throw new GatewayError('store_unavailable', `The content of ${id} was not stored completely.`)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
  }
  return records.next()
}
