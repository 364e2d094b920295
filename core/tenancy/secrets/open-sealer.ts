/** The sealer of this gateway, from the environment or the data directory. */
import type { Options } from '../../boot/options.ts'
import { openMasterKey, previousKeys } from './master-key.ts'
import { createSealer, type MasterSealer } from './sealer.ts'

export async function openSealer(
  options: Pick<Options, 'encryptionKey' | 'previousEncryptionKey' | 'dataDir'>,
): Promise<MasterSealer> {
  const masterKey = await openMasterKey(options.encryptionKey, options.dataDir)
  return createSealer(masterKey, await previousKeys(options.previousEncryptionKey, options.dataDir))
}
