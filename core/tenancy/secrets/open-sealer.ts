/** The sealer of this gateway, from the environment or the data directory. */
import { openMasterKey, previousKeys } from './master-key.ts'
import { createSealer, type MasterSealer } from './sealer.ts'

export interface SealerOptions {
  /** The key from the environment; null: the key of the data directory. */
  encryptionKey: Buffer | null
  previousEncryptionKey: Buffer | null
  dataDir: string
}

export async function openSealer(options: SealerOptions): Promise<MasterSealer> {
  const masterKey = await openMasterKey(options.encryptionKey, options.dataDir)
  return createSealer(masterKey, await previousKeys(options.previousEncryptionKey, options.dataDir))
}
