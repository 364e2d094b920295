/**
 * `gateway rotate-encryption-key`: replaces the master key of the store's secrets. Each secret's data key is
 * re-wrapped; the secrets are not decrypted. An interrupted rotation can be resumed.
 */
import { isObject, type Json, type JsonObject, type StoredDocument } from '@gateway/contract'
import { startProgress } from '../boot/index.ts'
import {
  forgetPreviousKey,
  type MasterSealer,
  openSealer,
  replaceFingerprint,
  replaceMasterKey,
} from '../tenancy/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { openStore } from './open-store.ts'
import { exitCodes } from './terminal.ts'
import { countDocuments } from './transfer/export-lines.ts'

const pageSize = 500

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, configOption)
    const opened = await openStore(values, terminal)
    if (opened === null) return exitCodes.failed
    const { ports, options } = opened
    try {
      const isKept = options.encryptionKey === null
      if (!isKept && options.previousEncryptionKey === null) {
        terminal.err(
          'The encryption key comes from the environment: set GATEWAY_ENCRYPTION_KEY to the new key and ' +
            'GATEWAY_PREVIOUS_ENCRYPTION_KEY to the current one.\n',
        )
        return exitCodes.failed
      }
      if (isKept) await replaceMasterKey(options.dataDir)
      const sealer = await openSealer(options)
      const total = await countDocuments(ports.documents)
      const progress = await startProgress(terminal, { title: 'Rotating the keys of documents', total })
      let count = 0
      let after: { kind: string; id: string } | null = null
      for (;;) {
        const page: StoredDocument[] = await ports.documents.scan(null, after, pageSize)
        for (const document of page) if (await rewrapDocument(document)) count += 1
        progress.advance(page.length)
        const last = page.at(-1)
        if (last === undefined) break
        after = { kind: last.kind, id: last.id }
      }
      progress.end()
      await replaceFingerprint(ports.documents, sealer, Date.now())
      if (isKept) await forgetPreviousKey(options.dataDir)
      terminal.out(`The secrets of ${count} documents use the new key. Restart the gateways of this store.\n`)
      return exitCodes.done

      async function rewrapDocument(document: StoredDocument): Promise<boolean> {
        const data = rewrapJson(document.data, sealer) as JsonObject
        if (data === document.data) return false
        const { version, ...draft } = document
        await ports.documents.commit([{ op: 'put', document: { ...draft, data }, expected: version }])
        return true
      }
    } finally {
      await ports.close()
    }
  },
}

/** Returns the same value when nothing in it is sealed with another key. */
function rewrapJson(value: Json | undefined, sealer: MasterSealer): Json | undefined {
  if (typeof value === 'string') return sealer.isSealed(value) ? sealer.rewrap(value) : value
  if (Array.isArray(value)) {
    const items = value.map((item) => rewrapJson(item, sealer) as Json)
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, rewrapJson(member, sealer)] as const)
  return entries.every(([key, member]) => member === value[key]) ? value : Object.fromEntries(entries)
}
