/**
 * Finds a leaked API key by its mask, or by the SHA-256 of its text. The caller computes the hash, so the key itself is
 * in no URL and no log. Keys of all statuses are compared, including old secrets during a rotation.
 */
import { isOfKind, kinds, type ManagedKeyData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, listAll, type Resource } from '../engine/index.ts'
import { maskOf } from './secret.ts'

type Secret = ManagedKeyData['secrets'][number]
type Filters = NonNullable<Resource['filters']>

async function narrow(
  filter: { ids?: readonly string[] },
  call: Call,
  isWanted: (secret: Secret) => boolean,
): Promise<void> {
  const inFile = call.context.fileDocuments().filter((document) => isOfKind(document, kinds.apiKey))
  const stored = await listAll(call, kinds.apiKey, { organisation_id: call.organisationId })
  const found = [...inFile, ...stored].filter(({ data }) => data.secrets.some(isWanted)).map(({ id }) => id)
  const { ids } = filter
  filter.ids = ids === undefined ? found : found.filter((id) => ids.includes(id))
}

export const secretFilters = {
  key_sha256: {
    schema: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of a key, in hexadecimal: finds the key without sending it.',
    }),
    apply: (value, filter, call) => narrow(filter, call, ({ hash }) => hash === value),
  },
  masked_key: {
    schema: Type.String({
      maxLength: 20,
      description: 'The mask of a key, as answers show it: its first 3 and last 4 characters.',
    }),
    apply: (value, filter, call) => narrow(filter, call, (secret) => maskOf(secret) === value),
  },
} satisfies Filters
