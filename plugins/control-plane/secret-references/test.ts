/** Tests whether a secret reference resolves: fetches the secret now, bypassing every cache, and discards the value. */

import {
  isGatewayError,
  isObject,
  type JsonObject,
  type ProviderIo,
  type StoredDocument,
} from '@gateway/contract'
import type { SecretReferenceData } from '@gateway/domain'
import { type Call, toIso } from '../engine/index.ts'
import { openAuthConfig } from './auth-config.ts'

const timeoutMs = 15_000

export async function testReference(
  call: Call<'fetch' | 'isTrusted' | 'secretManagers'>,
  reference: StoredDocument<SecretReferenceData>,
): Promise<JsonObject> {
  const error = await errorOf(call, reference)
  return {
    success: error === null,
    ...(error === null ? {} : { error }),
    fetched_at: toIso(call.context.now()),
  }
}

async function errorOf(
  { context }: Call<'fetch' | 'isTrusted' | 'secretManagers'>,
  reference: StoredDocument<SecretReferenceData>,
): Promise<string | null> {
  const { data } = reference
  const { sealer, secretManagers, fetch, isTrusted, now } = context
  const manager = secretManagers().get(data.manager_type)
  if (manager === undefined) return `Unknown secret manager "${data.manager_type}".`
  const authConfig = openAuthConfig(reference, sealer)
  const io: ProviderIo = { signal: AbortSignal.timeout(timeoutMs), now, fetch, isTrusted }
  try {
    const text = await manager.fetch(authConfig, data.secret_path, io)
    if (text === null) return 'The secret manager has no secret at this path.'
    return hasMember(text, data.secret_key)
      ? null
      : 'The secret exists but does not have the member of this reference.'
  } catch (error) {
    const isOfManager =
      isGatewayError(error) && error.code !== 'internal_error' && error.code !== 'store_unavailable'
    if (isOfManager) return error.message
    throw error
  }
}

function hasMember(text: string, member: string | null): boolean {
  if (member === null) return true
  try {
    const object: unknown = JSON.parse(text)
    return isObject(object) && Object.hasOwn(object, member) && object[member] !== null
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
