/**
 * Migrates documents of earlier versions: binds sealed texts to their record, seals secrets stored in plain text, and
 * removes them from audit records. It runs once per store, before anything is served, and on each imported document.
 * Two processes that start together can both run it: one finds the documents that the other has migrated.
 */
import {
  type Documents,
  isGatewayError,
  isObject,
  type Json,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import {
  kinds,
  mapSecrets,
  migrateOnce,
  recordOf,
  redact,
  sealedMembers,
  splitSecrets,
} from '@gateway/domain'
import type { MasterSealer } from './sealer.ts'

/** The members that a kind seals together, and the place of their masks. */
const splitMembers: Readonly<Record<string, { open: string; masked: string; sealedIn: string | null }>> = {
  [kinds.integration]: {
    open: 'configurations',
    masked: 'masked_configurations',
    sealedIn: 'configurations',
  },
  [kinds.secretReference]: { open: 'auth_config', masked: 'masked_auth_config', sealedIn: null },
}

/** Returns the same document if nothing needs to be changed. */
export function migrateDocument(document: StoredDocument, sealer: MasterSealer): StoredDocument {
  const data =
    document.kind === kinds.audit
      ? withoutSecrets(document.data)
      : sealClear(splitClear(bindAll(document, sealer), sealer), sealer)
  return data === document.data ? document : { ...document, data }
}

/** Audit records of earlier versions can contain values that are redacted today. */
function withoutSecrets(data: JsonObject): JsonObject {
  const { changes, request_body, query_params, ...rest } = data
  const redacted: JsonObject = {
    ...rest,
    changes: redact(changes),
    request_body: redact(request_body),
    query_params: redact(query_params),
  }
  const isSame = ['changes', 'request_body', 'query_params'].every(
    (name) => redacted[name] === (data[name] ?? null),
  )
  return isSame ? data : redacted
}

/** Binds every sealed text in a document to the document. */
function bindAll(document: StoredDocument, sealer: MasterSealer): StoredDocument {
  const record = recordOf(document)
  const bind = (value: Json): Json => {
    if (typeof value === 'string') return sealer.isSealed(value) ? sealer.bind(value, record) : value
    if (Array.isArray(value)) {
      const items = value.map(bind)
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!isObject(value)) return value
    const entries = Object.entries(value).flatMap(([name, member]): [string, Json][] =>
      member === undefined ? [] : [[name, bind(member)]],
    )
    return entries.every(([name, member]) => member === value[name]) ? value : Object.fromEntries(entries)
  }
  return { ...document, data: bind(document.data) as JsonObject }
}

/** Seals members that are secret by the current names together with the others. */
function splitClear(document: StoredDocument, sealer: MasterSealer): StoredDocument {
  const place = splitMembers[document.kind]
  const { data } = document
  const members = place === undefined ? undefined : data[place.open]
  if (place === undefined || !isObject(members)) return document
  const { open, secret, masked } = splitSecrets(members)
  if (Object.keys(secret).length === 0) return document
  const record = recordOf(document)
  const kept =
    typeof data.sealed === 'string' ? (JSON.parse(sealer.open(data.sealed, record)) as JsonObject) : {}
  const inner = place.sealedIn === null ? kept : kept[place.sealedIn]
  const joined = { ...secret, ...(isObject(inner) ? inner : {}) }
  const sealed = place.sealedIn === null ? joined : { ...kept, [place.sealedIn]: joined }
  const shown = data[place.masked]
  return {
    ...document,
    data: {
      ...data,
      [place.open]: open,
      [place.masked]: { ...masked, ...(isObject(shown) ? shown : {}) },
      sealed: sealer.seal(JSON.stringify(sealed), record),
    },
  }
}

/** Seals secrets inside content. */
function sealClear(document: StoredDocument, sealer: MasterSealer): JsonObject {
  const { kind, data } = document
  const record = recordOf(document)
  let migrated = data
  for (const name of sealedMembers[kind] ?? []) {
    const content = data[name] ?? null
    const sealed = mapSecrets(content, (text) => (sealer.isSealed(text) ? text : sealer.seal(text, record)))
    if (sealed !== content) migrated = { ...migrated, [name]: sealed }
  }
  return migrated
}

/** Kinds with sealed texts, or with secrets that earlier versions stored in plain text. */
const migrated: readonly string[] = [
  ...[kinds.organisation, kinds.apiKey, kinds.integration, kinds.secretReference, kinds.idempotency],
  ...[kinds.config, kinds.configVersion, kinds.guardrail, kinds.guardrailVersion, kinds.audit],
]

const pageSize = 500
const maxTries = 5

/**
 * Migrates a store; returns the number of changed documents.
 * Errors: `store_unavailable`, `internal_error` for a text that cannot be opened.
 */
export async function migrateSecrets(
  documents: Documents,
  sealer: MasterSealer,
  nowMs: number,
): Promise<number> {
  const work = () => migrateAll(documents, sealer)
  return (await migrateOnce(documents, { name: 'sealed texts are bound to their records', nowMs }, work)) ?? 0
}

async function migrateAll(documents: Documents, sealer: MasterSealer): Promise<number> {
  let count = 0
  for (const kind of migrated) {
    for (let after: { kind: string; id: string } | null = null; ; ) {
      const page: StoredDocument[] = await documents.scan(kind, after, pageSize)
      for (const document of page) if (await migrateOne(documents, document, sealer)) count += 1
      const last = page.at(-1)
      if (last === undefined) break
      after = { kind, id: last.id }
    }
  }
  return count
}

async function migrateOne(
  documents: Documents,
  found: StoredDocument,
  sealer: MasterSealer,
): Promise<boolean> {
  let document: StoredDocument | null = found
  for (let tries = 0; document !== null && tries < maxTries; tries += 1) {
    const next = migrateDocument(document, sealer)
    if (next === document) return false
    const { version, ...draft } = next
    try {
      await documents.commit([{ op: 'put', document: draft, expected: version }])
      return true
    } catch (error) {
      // Another process was faster: its result is checked again.
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
      document = await documents.get(found.kind, found.id)
    }
  }
  return false
}
