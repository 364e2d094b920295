/**
 * Documents in this process's memory, for tests and for gateways that store nothing.
 * Errors: `conflict`, `precondition_failed`; `store_unavailable` when the bound is reached.
 */
import {
  type DocumentChange,
  type Documents,
  type DocumentWrite,
  GatewayError,
  type StoredDocument,
} from '@gateway/contract'
import { compareDocuments, matchesDocument } from '@gateway/domain'

export interface MemoryDocumentsOptions {
  /** The maximum number of documents; default 1,000,000. */
  maxDocuments?: number
}

type Listener = (changes: readonly DocumentChange[]) => void

/** Documents in memory; arguments and results are copies. */
export function createMemoryDocuments({ maxDocuments = 1_000_000 }: MemoryDocumentsOptions = {}): Documents {
  const kinds = new Map<string, Map<string, StoredDocument>>()
  /** Kind and key → id. */
  const owners = new Map<string, string>()
  const listeners = new Set<Listener>()
  let size = 0

  const ofKind = (kind: string) => kinds.get(kind) ?? new Map<string, StoredDocument>()

  function remove(kind: string, id: string): void {
    const document = ofKind(kind).get(id)
    if (document === undefined) return
    for (const key of document.keys) owners.delete(ownerKey(kind, key))
    kinds.get(kind)?.delete(id)
    size--
  }

  function put(document: StoredDocument): void {
    const { kind, id } = document
    remove(kind, id)
    for (const key of document.keys) owners.set(ownerKey(kind, key), id)
    kinds.set(kind, ofKind(kind).set(id, document))
    size++
  }

  function apply(write: DocumentWrite): StoredDocument | null {
    const { kind, id } = write.op === 'put' ? write.document : write
    const version = ofKind(kind).get(id)?.version ?? 0
    if (write.expected !== undefined && write.expected !== version) {
      throw new GatewayError('precondition_failed', `The ${kind} has been changed since it was read.`)
    }
    if (write.op === 'remove') {
      remove(kind, id)
      return null
    }
    for (const key of write.document.keys) {
      const owner = owners.get(ownerKey(kind, key))
      if (owner !== undefined && owner !== id)
        throw new GatewayError('conflict', `Another ${kind} already has the key "${key}".`)
    }
    if (version === 0 && size >= maxDocuments) {
      throw new GatewayError('store_unavailable', 'The in-memory store is full.')
    }
    const document = copy({ ...write.document, version: write.version ?? version + 1 })
    put(document)
    return document
  }

  /** The previous documents, for rolling back earlier writes when one is refused. */
  function undo(before: readonly { kind: string; id: string; document: StoredDocument | undefined }[]): void {
    for (const { kind, id } of before) remove(kind, id)
    for (const { document } of before) if (document !== undefined) put(document)
  }

  function* all(kind: string | null): Generator<StoredDocument> {
    for (const [name, documents] of kinds) if (kind === null || name === kind) yield* documents.values()
  }

  return {
    async get(kind, id) {
      const document = ofKind(kind).get(id)
      return document === undefined ? null : copy(document)
    },
    async findByKey(kind, key) {
      const id = owners.get(ownerKey(kind, key))
      const document = id === undefined ? undefined : ofKind(kind).get(id)
      return document === undefined ? null : copy(document)
    },
    async list(kind, filter, page) {
      const found = [...all(kind)]
        .filter((document) => matchesDocument(document, filter))
        .sort(compareDocuments(page))
      const { offset, limit } = page
      return { total: found.length, documents: found.slice(offset, offset + limit).map(copy) }
    },
    async scan(kind, after, limit) {
      const isBehind = (one: StoredDocument) => after === null || compareScan(one, after) > 0
      return [...all(kind)].filter(isBehind).sort(compareScan).slice(0, limit).map(copy)
    },
    async commit(writes) {
      const before: { kind: string; id: string; document: StoredDocument | undefined }[] = []
      const written: StoredDocument[] = []
      const changes: DocumentChange[] = []
      try {
        for (const write of writes) {
          const { kind, id } = write.op === 'put' ? write.document : write
          const present = ofKind(kind).get(id)
          if (!before.some((one) => one.kind === kind && one.id === id))
            before.push({ kind, id, document: present })
          const document = apply(write)
          if (document !== null) written.push(copy(document))
          const changed = document ?? present
          const isQuiet = write.op === 'put' && write.isQuiet === true
          if (changed !== undefined && !isQuiet) changes.push(toChange(changed))
        }
      } catch (error) {
        undo(before)
        throw error
      }
      if (changes.length > 0) for (const listener of [...listeners]) listener(changes)
      return written
    },
    watch(listener) {
      // A separate wrapper, because one function may watch twice.
      const own: Listener = (changes) => listener(changes)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    /** No other process writes to this store. */
    async refresh() {},
  }
}

const ownerKey = (kind: string, key: string) => `${kind}\n${key}`

/** A copy without `undefined` members, as after serialization. */
function copy(document: StoredDocument): StoredDocument {
  return JSON.parse(JSON.stringify(document)) as StoredDocument
}

function toChange({ kind, id, organisation_id, workspace_id }: StoredDocument): DocumentChange {
  return { kind, id, organisation_id, workspace_id }
}

function compareScan(left: { kind: string; id: string }, right: { kind: string; id: string }): number {
  return compareText(left.kind, right.kind) || compareText(left.id, right.id)
}

const compareText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)
