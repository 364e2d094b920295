/**
 * Validates a whole export before anything is written: format, version, completeness, checksum, and whether its secrets
 * can be opened. Errors: `invalid_file`, whose message is for the operator.
 */
import { createHash, type Hash } from 'node:crypto'
import { GatewayError, isObject, type StoredDocument } from '@gateway/contract'
import { recordOf } from '@gateway/domain'
import { type MasterSealer, sealedTexts } from '../../tenancy/index.ts'
import {
  type Counts,
  countRecord,
  formatName,
  formatVersion,
  noCounts,
  type TransferRecord,
} from './record.ts'

/** Returns the record counts. */
export async function checkLines(lines: AsyncIterable<string>, sealer: MasterSealer): Promise<Counts> {
  const counts = noCounts()
  const hash = createHash('sha256')
  let number = 0
  let isEnded = false
  let content: { id: string; hash: Hash; size: number } | null = null
  for await (const text of lines) {
    number += 1
    if (isEnded) throw invalid(`line ${number} is after the end record.`)
    const record = readRecord(text, number)
    if ((number === 1) !== (record.type === 'header')) throw invalid('it is not a gateway export.')
    if (record.type === 'header') checkHeader(record)
    if (record.type === 'document') checkSecrets(record.document, sealer)
    if (record.type === 'content') content = { id: record.id, hash: createHash('sha256'), size: 0 }
    else if (record.type === 'bytes' && content !== null) {
      const bytes = Buffer.from(record.data, 'base64')
      content.hash.update(bytes)
      content.size += bytes.length
    } else {
      if (record.type === 'sum') checkSum(content, record)
      content = null
    }
    if (record.type === 'end') {
      isEnded = true
      if (record.sha256 !== hash.digest('hex') || !isSame({ ...noCounts(), ...record.counts }, counts)) {
        throw invalid('its checksum does not match: it was changed or damaged.')
      }
    } else {
      hash.update(`${text}\n`)
      countRecord(counts, record)
    }
  }
  if (!isEnded) throw invalid('it has no end record: it is truncated.')
  return counts
}

/** Parses one line. The checksum proves that a gateway wrote its content. */
export function readRecord(text: string, number: number): TransferRecord {
  let record: unknown
  try {
    record = JSON.parse(text)
  } catch (error) {
    throw invalid(`line ${number} is not JSON.`, error)
  }
  if (!isObject(record) || typeof record.type !== 'string')
    throw invalid(`line ${number} is not a valid record.`)
  return record as TransferRecord
}

function checkSum(
  content: { id: string; hash: Hash; size: number } | null,
  { size_bytes, sha256 }: { size_bytes: number; sha256: string },
): void {
  if (content === null) throw invalid('it has a checksum without a content.')
  if (content.size !== size_bytes || content.hash.digest('hex') !== sha256)
    throw invalid(`the content of ${content.id} does not match its checksum.`)
}

function checkHeader({ format, version }: { format: string; version: number }): void {
  if (format !== formatName) throw invalid('it is not a gateway export.')
  if (version > formatVersion) {
    throw invalid(
      `it has version ${version}, but this gateway supports only up to ${formatVersion}: use a newer gateway.`,
    )
  }
}

function checkSecrets(document: StoredDocument, sealer: MasterSealer): void {
  const record = recordOf(document)
  for (const sealed of sealedTexts(document.data, sealer)) {
    try {
      // The secret was sealed by an earlier version, which did not bind secrets to their records.
      sealer.open(sealer.bind(sealed, record), record)
    } catch (error) {
      throw invalid(
        'its secrets were encrypted with another key: set GATEWAY_ENCRYPTION_KEY to the key of the exporting gateway.',
        error,
      )
    }
  }
}

/** Exports of earlier versions lack the counts of newer kinds. */
const isSame = (left: Counts, right: Counts) => JSON.stringify(left) === JSON.stringify(right)

function invalid(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_file', `The file cannot be imported: ${reason}`, { cause })
}
