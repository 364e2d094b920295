/** The complete `auth_config` of a secret reference, with its secrets decrypted. */
import type { JsonObject, Sealer, StoredDocument } from '@gateway/contract'
import type { SecretReferenceData } from '@gateway/domain'
import { openSecrets } from '../engine/index.ts'

export function openAuthConfig(
  document: Pick<StoredDocument<SecretReferenceData>, 'kind' | 'id' | 'data'>,
  sealer: Pick<Sealer, 'open'>,
): JsonObject {
  return { ...document.data.auth_config, ...openSecrets(document, sealer) }
}
