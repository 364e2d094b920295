/**
 * Reads an Avro object container file, block by block: https://avro.apache.org/docs/1.12.0/specification/ Codecs:
 * null and deflate.
 * Errors: 502 `upstream_invalid_response` for a file that cannot be parsed, or has a block above 64 MiB.
 */
import { inflateRawSync } from 'node:zlib'
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'

const maxBlockBytes = 64 * 1_048_576
const maxDepth = 32
const syncBytes = 16
const magic = Buffer.from('Obj\u0001', 'latin1')

class TooShort extends Error {}

const broken = (reason: string): GatewayError =>
  new GatewayError(
    'upstream_invalid_response',
    `The provider returned an Avro file that cannot be parsed: ${reason}.`,
  )

class Cursor {
  at = 0
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  take(length: number): Buffer {
    if (length < 0 || length > maxBlockBytes) throw broken('a length is out of bounds')
    if (this.at + length > this.bytes.length) throw new TooShort()
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** Zigzag varint: 7 bits per byte, lowest first. */
  long(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.take(1)[0] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) break
      if (scale > 2 ** 63) throw broken('a number is too long')
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    return this.take(this.long()).toString('utf8')
  }
}

type Read = (cursor: Cursor, depth: number) => Json

/** Iterates over the records of the file. */
export async function* readAvro(source: AsyncIterable<Buffer>): AsyncGenerator<Json> {
  let bytes = Buffer.alloc(0)
  let head: { read: Read; inflates: boolean } | null = null
  for await (const chunk of source) {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const cursor = new Cursor(bytes)
      try {
        if (head === null) head = readHead(cursor)
        else {
          const count = cursor.long()
          const packed = cursor.take(cursor.long())
          cursor.take(syncBytes)
          yield* recordsIn(packed, count, head)
        }
      } catch (error) {
        if (!(error instanceof TooShort)) throw error
        break
      }
      bytes = bytes.subarray(cursor.at)
      if (bytes.length === 0) break
    }
    if (bytes.length > maxBlockBytes + 1024) throw broken('a block is too large')
  }
  if (head === null || bytes.length > 0) throw broken('the file is incomplete')
}

function readHead(cursor: Cursor): { read: Read; inflates: boolean } {
  if (!cursor.take(magic.length).equals(magic)) throw broken('the file has no Avro header')
  const entries = new Map<string, string>()
  for (let count = cursor.long(); count !== 0; count = cursor.long()) {
    if (count < 0) cursor.long()
    for (let left = Math.abs(count); left > 0; left -= 1) entries.set(cursor.text(), cursor.text())
  }
  cursor.take(syncBytes)
  const codec = entries.get('avro.codec') ?? 'null'
  if (codec !== 'null' && codec !== 'deflate')
    throw broken(`the codec ${codec.slice(0, 50)} is not supported`)
  let schema: Json
  try {
    schema = JSON.parse(entries.get('avro.schema') ?? '')
  } catch {
    throw broken('its schema is not JSON')
  }
  return { read: readerOf(schema, new Map(), 0), inflates: codec === 'deflate' }
}

function* recordsIn(
  packed: Buffer,
  count: number,
  { read, inflates }: { read: Read; inflates: boolean },
): Generator<Json> {
  let bytes = packed
  try {
    if (inflates) bytes = inflateRawSync(packed, { maxOutputLength: maxBlockBytes })
  } catch {
    throw broken('a block cannot be inflated')
  }
  const cursor = new Cursor(bytes)
  for (let left = count; left > 0; left -= 1) {
    try {
      yield read(cursor, 0)
    } catch (error) {
      throw error instanceof TooShort ? broken('a record is cut off') : error
    }
  }
}

const plain: Readonly<Record<string, Read>> = {
  null: () => null,
  boolean: (cursor) => cursor.take(1)[0] === 1,
  int: (cursor) => cursor.long(),
  long: (cursor) => cursor.long(),
  float: (cursor) => cursor.take(4).readFloatLE(),
  double: (cursor) => cursor.take(8).readDoubleLE(),
  bytes: (cursor) => cursor.take(cursor.long()).toString('base64'),
  string: (cursor) => cursor.text(),
}

/** @param named readers of named types, which can be referenced by name, also inside themselves */
function readerOf(schema: Json, named: Map<string, Read>, depth: number): Read {
  if (depth > maxDepth) throw broken('its schema is nested too deeply')
  const inner = (one: Json | undefined) => readerOf(one ?? null, named, depth + 1)
  if (Array.isArray(schema)) {
    const branches = schema.map(inner)
    return (cursor, level) => {
      const branch = branches[cursor.long()]
      if (branch === undefined) throw broken('a union has no such branch')
      return branch(cursor, level)
    }
  }
  if (typeof schema === 'string') {
    const read = plain[schema] ?? named.get(schema)
    if (read !== undefined) return read
    throw broken(`the type ${schema.slice(0, 50)} is not supported`)
  }
  if (!isObject(schema)) throw broken('its schema is invalid')
  const { type, name } = schema
  if (type === 'array') {
    const item = inner(schema.items)
    return (cursor, level) => [...blocks(cursor, level, item)]
  }
  if (type === 'map') {
    const value = inner(schema.values)
    const entry: Read = (cursor, level) => [cursor.text(), value(cursor, level)]
    return (cursor, level) => Object.fromEntries(blocks(cursor, level, entry) as Iterable<[string, Json]>)
  }
  if (type === 'record') return recordOf(schema, named, depth)
  const made = scalarOf(schema) ?? inner(type)
  if (typeof name === 'string') named.set(name, made)
  return made
}

function scalarOf({ type, symbols, size }: JsonObject): Read | null {
  if (type === 'enum') return (cursor) => (Array.isArray(symbols) ? (symbols[cursor.long()] ?? null) : null)
  if (type === 'fixed') return (cursor) => cursor.take(Number(size)).toString('base64')
  return null
}

function recordOf({ name, fields }: JsonObject, named: Map<string, Read>, depth: number): Read {
  const readers: [string, Read][] = []
  const read: Read = (cursor, level) => {
    if (level > maxDepth) throw broken('a record is nested too deeply')
    const made: JsonObject = {}
    for (const [field, one] of readers) made[field] = one(cursor, level + 1)
    return made
  }
  if (typeof name === 'string') named.set(name, read)
  for (const field of Array.isArray(fields) ? fields : [])
    if (isObject(field)) readers.push([String(field.name), readerOf(field.type ?? null, named, depth + 1)])
  return read
}

function* blocks(cursor: Cursor, level: number, read: Read): Generator<Json> {
  for (let count = cursor.long(); count !== 0; count = cursor.long()) {
    if (count < 0) cursor.long()
    for (let left = Math.abs(count); left > 0; left -= 1) yield read(cursor, level + 1)
  }
}
