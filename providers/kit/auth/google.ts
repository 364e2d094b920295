/**
 * Google Cloud: an OAuth access token as a bearer token, from a service account, from the process's own identity
 * (stored credentials only), or `api_key` unchanged. Tokens are cached until shortly before they expire.
 * Reference: https://docs.cloud.google.com/docs/authentication/rest
 * Errors: `invalid_config` and `host_not_allowed` for a credential that cannot be used, `dependency_unavailable` for
 * a token service that cannot be reached; `UpstreamFault` 401 for a credential that it refuses.
 */
import { readFile } from 'node:fs/promises'
import { isObject, type JsonObject, type ProviderIo, type ProviderSettings } from '@gateway/contract'
import { type Auth, addHeaders, credentialOf } from './credential.ts'
import { ambientToken, type Surroundings } from './google-ambient.ts'
import { serviceAccountToken } from './google-service-account.ts'
import { createTokenCache, type Expiring } from './token-cache.ts'

/** A way to get a token; `secrets` distinguish credentials. */
interface Source {
  secrets: readonly unknown[]
  renew(io: ProviderIo): Promise<Expiring<string>>
}

const processSurroundings: Surroundings = {
  environment: process.env,
  readFile: (path) => readFile(path, 'utf8'),
}

/** The credential as a bearer token. */
export function googleAuth(surroundings: Surroundings = processSurroundings): Auth {
  const cache = createTokenCache<string>()
  return async function googleBearer(request, settings, io) {
    const source = sourceOf(settings, surroundings)
    const token =
      source === null
        ? credentialOf(settings)
        : await cache.get(source.secrets, io.now(), () => source.renew(io))
    return addHeaders(request, { authorization: token === null ? undefined : `Bearer ${token}` })
  }
}

function sourceOf(settings: ProviderSettings, surroundings: Surroundings): Source | null {
  const account = serviceAccountOf(settings)
  if (account !== null) {
    const { client_email, private_key, token_uri } = account
    return {
      secrets: [client_email, private_key, token_uri],
      renew: (io) => serviceAccountToken(account, io),
    }
  }
  if (!usesOwnIdentity(settings)) return null
  return { secrets: ['own identity'], renew: (io) => ambientToken(surroundings, io) }
}

/** The service account's key in these settings, as downloaded from the vendor's console; null without one. */
export function serviceAccountOf(settings: ProviderSettings): JsonObject | null {
  const { cloudC_service_account_json: given, configurations = {} } = settings
  const { vertex_service_account_json: stored } = configurations
  if (given !== undefined) return given
  return isObject(stored) ? stored : null
}

/** Whether a stored credential uses the process's own identity. */
export function usesOwnIdentity({ configurations }: ProviderSettings): boolean {
  const type = configurations?.vertex_auth_type
  return type === 'basic' || type === 'workload'
}
