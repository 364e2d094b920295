/** The secrets of a config's content: stored encrypted, masked in answers, and kept when a write sends their mask. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import {
  type ConfigData,
  fillMasks,
  openContent,
  placedSecrets,
  recordOf,
  resolveMasks,
} from '@gateway/domain'
import type { Write } from '../engine/index.ts'
import { isStrayMask } from '../shared/index.ts'

/** The decrypted content. */
export const openConfig = (
  document: Pick<StoredDocument<ConfigData>, 'kind' | 'id' | 'data'>,
  { call }: Pick<Write, 'call'>,
): JsonObject => openContent(document.data.config, call.context.sealer, recordOf(document))

/**
 * The config with its masks replaced by the stored secrets. Errors at `/config/…` for masks without a stored secret.
 */
export function keepSecrets(
  config: JsonObject,
  stored: JsonObject | null,
  fault: Write['fault'],
): JsonObject {
  const before = stored === null ? [] : placedSecrets(stored, '/config')
  const { secrets, strays } = resolveMasks(placedSecrets(config, '/config'), before)
  for (const param of strays) fault(param, isStrayMask)
  return fillMasks(config, secrets, '/config')
}
