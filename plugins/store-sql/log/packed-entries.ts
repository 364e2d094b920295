/** Packs entries for the thread that writes them. */
import { randomUUID } from 'node:crypto'
import type { Json, LogColumnKind, LogEntry, LogValue } from '@gateway/contract'
import { columnKind, isLogField, latencyBin, logFieldNames } from '@gateway/domain'
import { clean } from '../values.ts'
import { storedName } from './names.ts'

/**
 * Entries to be written. Lists of values cost both threads several times as much as numbers in one buffer, and a name
 * that many entries share is transferred once.
 */
export interface PackedEntries {
  /** The names of the entries, each once. */
  names: string[]
  /** Of each entry, its columns that are not texts; NaN represents null. Names are their positions in `names`. */
  numbers: Float64Array
  /** Of each entry, its text columns and its {@link bodyTexts}. */
  texts: (string | null)[]
  /** The details of all entries as one JSON array, in which the separator follows each. */
  details: string
  separator: string
}

export const factColumns: readonly string[] = [
  'id',
  'created_at',
  'organisation_id',
  'workspace_id',
  ...logFieldNames,
  'latency_bin',
  'metadata',
]

export const contentColumns: readonly string[] = ['id', 'created_at', 'details', 'bodies', 'inner_bodies']

/**
 * The bodies of an entry, each as JSON; all are null if it has none. Those of one column are joined by the thread that
 * writes them.
 */
const bodyTexts = ['request', 'response', 'transformed_request', 'original_response'] as const

/**
 * A text that occurs in no entry, because it is not known outside the process. V8 writes one long JSON text with half
 * of the memory that many short ones take.
 */
const separator = randomUUID()

/** How the value of a fact is packed. */
type FactKind = 'name' | 'number' | 'text'

function factKind(column: string): FactKind {
  if (column === 'id' || column === 'metadata') return 'text'
  if (column === 'organisation_id' || column === 'workspace_id') return 'name'
  const kind = isLogField(column) ? columnKind(column) : 'integer'
  return kind === 'name' || kind === 'text' ? kind : 'number'
}

/** By column of {@link factColumns}. */
export const factKinds: readonly FactKind[] = factColumns.map(factKind)

const factTexts = factKinds.filter((kind) => kind === 'text').length
/** Numbers and texts of one entry. */
export const numbersPerEntry = factKinds.length - factTexts
export const textsPerEntry = factTexts + bodyTexts.length
/** The position of the first body among the texts of an entry. */
export const bodiesAt = factTexts

const fieldKinds = logFieldNames.map((name) => [name, columnKind(name)] as const)
const numberFields = fieldKinds.filter(([, kind]) => kind !== 'text')
const textFields = logFieldNames.filter((name) => columnKind(name) === 'text')

export function packEntries(entries: readonly LogEntry[]): PackedEntries {
  const positions = new Map<string, number>()
  const numbers = new Float64Array(entries.length * numbersPerEntry)
  // Of its final length, because a list that grows is copied several times.
  const texts = new Array<string | null>(entries.length * textsPerEntry)
  const allDetails = new Array<Json>(entries.length * 2)
  let number = 0
  let text = 0
  let detail = 0
  for (const {
    id,
    created_at,
    organisation_id,
    workspace_id,
    fields,
    metadata,
    details,
    bodies,
  } of entries) {
    numbers[number++] = created_at
    numbers[number++] = positionOf(organisation_id, positions)
    numbers[number++] = positionOf(workspace_id, positions)
    for (const [name, kind] of numberFields)
      numbers[number++] = packedNumber(fields[name] ?? null, kind, positions)
    numbers[number++] = latencyBin(fields.response_time ?? 0)
    texts[text++] = id
    for (const name of textFields) texts[text++] = packedText(fields[name] ?? null)
    texts[text++] = metadataText(metadata)
    allDetails[detail++] = details
    allDetails[detail++] = separator
    texts[text++] = bodies === null ? null : String(bodies.request)
    texts[text++] = bodies === null ? null : String(bodies.response)
    texts[text++] = bodies === null ? null : bodies.transformed_request
    texts[text++] = bodies === null ? null : bodies.original_response
  }
  return {
    names: Array.from(positions.keys(), storedName),
    numbers,
    texts,
    details: JSON.stringify(allDetails),
    separator,
  }
}

/** The details of each entry, as JSON. */
export function unpackDetails({ details, separator }: PackedEntries): string[] {
  const mark = `,"${separator}"`
  return details.slice('['.length, -`${mark}]`.length).split(`${mark},`)
}

function positionOf(name: LogValue, positions: Map<string, number>): number {
  if (typeof name !== 'string') return Number.NaN
  const known = positions.get(name)
  if (known !== undefined) return known
  positions.set(name, positions.size)
  return positions.size - 1
}

/** The largest number that fits into the columns of both engines. */
const maxInteger = 2_147_483_647

function packedNumber(value: LogValue, kind: LogColumnKind, positions: Map<string, number>): number {
  if (value === null) return Number.NaN
  if (kind === 'name') return positionOf(value, positions)
  if (kind === 'boolean') return value === true ? 1 : 0
  if (typeof value !== 'number' || !Number.isFinite(value)) return Number.NaN
  return kind === 'integer' ? Math.max(-maxInteger, Math.min(maxInteger, Math.round(value))) : value
}

const packedText = (value: LogValue): string | null => (typeof value === 'string' ? clean(value) : null)

function metadataText(metadata: LogEntry['metadata']): string | null {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return JSON.stringify(Object.fromEntries(entries.map(([key, value]) => [clean(key), clean(value)])))
}
