/** Checks by fingerprint whether the encryption key is that of the store. Creates no key. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type Documents, faultReason } from '@gateway/contract'
import type { Options } from '../../boot/index.ts'
import { checkMasterKey, createSealer, masterKeyPath, openSealer } from '../../tenancy/index.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const check = 'encryption key'

/**
 * @param options with an absolute `dataDir`
 * @param documents null if the store could not be opened, or does not exist yet
 * @param isServer whether several gateways can use the store
 */
export async function checkEncryptionKey(
  options: Pick<Options, 'encryptionKey' | 'previousEncryptionKey' | 'dataDir'>,
  documents: Documents | null,
  isServer: boolean,
): Promise<Finding> {
  const path = masterKeyPath(options.dataDir)
  const isGiven = options.encryptionKey !== null
  const isThere = isGiven || existsSync(path)
  try {
    // Without a key, only a store that has no fingerprint passes.
    const sealer = isThere ? await openSealer(options) : createSealer(randomBytes(32), [])
    if (documents !== null) await checkMasterKey(documents, sealer)
  } catch (error) {
    const remedy = `Set GATEWAY_ENCRYPTION_KEY to the key that the store was used with, or restore ${path}.`
    return failed(check, faultReason(error), remedy)
  }
  const origin = isGiven ? 'from GATEWAY_ENCRYPTION_KEY' : `in ${path}`
  if (isServer && !isGiven)
    return warning(
      check,
      isThere ? origin : `is created at the first start ${origin}`,
      'Set GATEWAY_ENCRYPTION_KEY, the same for all gateways of this store, and keep a copy of it.',
    )
  if (!isThere) return ok(check, `is created at the first start ${origin}`)
  return ok(
    check,
    documents === null ? origin : `${origin}, and the store's fingerprint matches or is not set yet`,
  )
}
