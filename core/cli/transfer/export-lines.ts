/**
 * A whole store as lines: documents with their versions, used budgets and rate limits, the log, blobs, and contents
 * that services store elsewhere. Kinds in {@link leftOut} are not exported. Secrets stay sealed.
 */
import { createHash } from 'node:crypto'
import {
  type BlobHead,
  type Blobs,
  type Counters,
  faultReason,
  type Log,
  type LogAggregateHour,
  type LogEntry,
  type LogFeedback,
  type Ports,
  type StoredContent,
  type StoredContents,
  type StoredDocument,
} from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { type MasterSealer, migrateDocument } from '../../tenancy/index.ts'
import {
  type Content,
  type Counts,
  countRecord,
  formatName,
  formatVersion,
  noCounts,
  type TransferRecord,
} from './record.ts'

const pageSize = 500

/** Kinds that are not exported by design, for a message to the operator. */
export const leftOut =
  'cached answers and their vectors, leases, expired rate windows, the encryption key, the admin key, the config file'

/** The bulk of an export. */
const counted: ReadonlySet<string> = new Set<Content['type']>(['document', 'log', 'feedback'])

/** The approximate number of records in an export, small kinds excluded. */
export async function countRecords({ documents, log }: Pick<Ports, 'documents' | 'log'>): Promise<number> {
  return (await countDocuments(documents)) + (await log.count({})) + (await log.feedback.count({}))
}

export async function countDocuments(documents: Pick<Ports['documents'], 'scan'>): Promise<number> {
  let count = 0
  for await (const _ of pages<StoredDocument>((after) => documents.scan(null, after, pageSize))) count += 1
  return count
}

export interface ExportSource {
  ports: Pick<Ports, 'documents' | 'counters' | 'log' | 'blobs'>
  /** The contents of services that store them elsewhere. */
  contents: readonly StoredContents[]
  /** Called for each content that is not in the export, with the reason. */
  refuse(content: StoredContent, reason: string): void
}

export interface Exported {
  lines: AsyncIterable<string>
  /** The counts; complete once the lines have ended. */
  counts: Counts
}

interface ExportLinesOptions {
  nowMs: number
  /** Called for each record that {@link countRecords} counted. */
  onRecord?: () => void
}

export function exportLines(
  from: ExportSource,
  sealer: MasterSealer,
  { nowMs, onRecord = () => undefined }: ExportLinesOptions,
): Exported {
  const counts = noCounts()
  const hash = createHash('sha256')

  function line(record: TransferRecord): string {
    countRecord(counts, record)
    const text = `${JSON.stringify(record)}\n`
    if (record.type !== 'end') hash.update(text)
    return text
  }

  async function* lines(): AsyncIterable<string> {
    const created_at = new Date(nowMs).toISOString()
    yield line({ type: 'header', format: formatName, version: formatVersion, created_at })
    for await (const record of contentOf(from, sealer, nowMs)) {
      if (counted.has(record.type)) onRecord()
      yield line(record)
    }
    yield line({ type: 'end', counts, sha256: hash.digest('hex') })
  }

  return { lines: lines(), counts }
}

async function* contentOf(
  { ports: { documents, counters, log, blobs }, contents, refuse }: ExportSource,
  sealer: MasterSealer,
  nowMs: number,
): AsyncIterable<Content> {
  for await (const document of pages<StoredDocument>((after) => documents.scan(null, after, pageSize))) {
    // The importing store has its own documents of these kinds.
    if (document.kind === kinds.encryptionKey) continue
    // A store not yet opened by this version may contain secrets in clear.
    yield { type: 'document', document: migrateDocument(document, sealer) }
  }
  const budgets = pages<{ key: string; used: number }>((after) =>
    counters.list('', after?.key ?? null, pageSize),
  )
  for await (const { key, used } of budgets) yield { type: 'budget', key, used }
  yield* windowRecords(counters, nowMs)
  const entries = pages<LogEntry>(async (after) => {
    const page = { limit: pageSize, ...(after === null ? {} : { after: after.id }) }
    return log.read((await log.list({}, page)).map(({ id }) => id))
  })
  for await (const entry of entries) yield { type: 'log', entry }
  for await (const feedback of allFeedback(log)) yield { type: 'feedback', feedback }
  let hour = (await log.aggregates?.next(null)) ?? null
  while (hour !== null) {
    yield { type: 'aggregates', hour: sorted(hour) }
    hour = (await log.aggregates?.next(hour.created_at)) ?? null
  }
  for await (const head of pages<BlobHead>((after) => blobs.list('', after?.key ?? null, pageSize))) {
    yield* blobRecords(blobs, head)
  }
  for (const stored of contents) yield* contentRecords(stored, documents, refuse)
}

/** The contents of one service. Those in the store are blobs, of which only the presence is checked. */
async function* contentRecords(
  stored: StoredContents,
  documents: Ports['documents'],
  refuse: ExportSource['refuse'],
): AsyncIterable<Content> {
  const referring = pages<StoredDocument>((after) => documents.scan(stored.kind, after, pageSize))
  for await (const document of referring) {
    const content = stored.describe(document)
    // An empty file may have no bytes anywhere.
    if (content.sizeBytes === 0) continue
    try {
      const bytes = await stored.get(content.key)
      if (bytes === null) refuse(content, 'its content is missing')
      else if (stored.isInStore) await cancel(bytes)
      else yield* bytesWithSum(stored.kind, content, { bytes, refuse })
    } catch (error) {
      refuse(content, faultReason(error))
    }
  }
}

async function cancel(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await bytes[Symbol.asyncIterator]().return?.()
}

interface BytesWithSumOptions {
  bytes: AsyncIterable<Uint8Array>
  refuse: ExportSource['refuse']
}

async function* bytesWithSum(
  kind: string,
  content: StoredContent,
  { bytes, refuse }: BytesWithSumOptions,
): AsyncIterable<Content> {
  const { key, id, sizeBytes } = content
  yield { type: 'content', kind, key, id }
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const piece of bytes) {
      hash.update(piece)
      size += piece.length
      yield { type: 'bytes', data: Buffer.from(piece).toString('base64') }
    }
  } catch (error) {
    refuse(content, faultReason(error))
    yield { type: 'unreadable' }
    return
  }
  if (size === sizeBytes) yield { type: 'sum', size_bytes: size, sha256: hash.digest('hex') }
  else {
    refuse(content, `it has ${size} bytes instead of ${sizeBytes}`)
    yield { type: 'unreadable' }
  }
}

/** The order is the same on every engine, which makes exports of the same content identical. */
function sorted({ created_at, aggregates }: LogAggregateHour): LogAggregateHour {
  const lines = aggregates.map((aggregate) => {
    const histogram = [...aggregate.histogram].sort(([left], [right]) => left - right)
    return { text: JSON.stringify(aggregate.key), aggregate: { ...aggregate, histogram } }
  })
  const inOrder = lines.sort((left, right) => (left.text < right.text ? -1 : 1))
  return { created_at, aggregates: inOrder.map(({ aggregate }) => aggregate) }
}

/** Newest first: entries added during the export shift the rest, so some may be seen twice but none is missed. */
async function* allFeedback(log: Log): AsyncIterable<LogFeedback> {
  for (let offset = 0; ; offset += pageSize) {
    const page = await log.feedback.list({}, { offset, limit: pageSize })
    yield* page
    if (page.length < pageSize) return
  }
}

/** All items of a list that is read by cursor. */
async function* pages<Item>(read: (after: Item | null) => Promise<readonly Item[]>): AsyncIterable<Item> {
  let after: Item | null = null
  for (;;) {
    const page: readonly Item[] = await read(after)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last
  }
}

async function* windowRecords(counters: Counters, nowMs: number): AsyncIterable<Content> {
  let cursor: string | null = null
  do {
    const { windows, next } = await counters.listWindows(cursor, pageSize, nowMs)
    for (const { key, use } of windows) yield { type: 'window', key, use }
    cursor = next
  } while (cursor !== null)
}

async function* blobRecords(blobs: Blobs, { key, sizeBytes, created_at }: BlobHead): AsyncIterable<Content> {
  const bytes = await blobs.get(key)
  // It was removed after it was listed.
  if (bytes === null) return
  yield { type: 'blob', key, size_bytes: sizeBytes, created_at }
  for await (const piece of bytes) yield { type: 'bytes', data: Buffer.from(piece).toString('base64') }
}
