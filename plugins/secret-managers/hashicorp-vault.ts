/**
 * HashiCorp Vault: a secret of the key-value engine, version 1 or 2, as a JSON object of its members. The cluster's
 * token of this process (kubernetes) is sent only to Vault servers of the operator: to `VAULT_ADDR`, to services of the
 * cluster, and to addresses in `security.trusted_hosts`.
 * References: https://developer.hashicorp.com/vault/api-docs, …/api-docs/secret/kv/kv-v1, …/api-docs/auth/kubernetes
 * Errors: `dependency_unavailable`.
 */
import { readFile } from 'node:fs/promises'
import {
  GatewayError,
  isObject,
  type JsonObject,
  type ProviderFetchAnswer,
  type ProviderIo,
  type SecretManager,
} from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { readObject, refused, unreadable } from './answers.ts'
import { address, authConfigOf, optionalText, settingOf } from './settings.ts'
import { vaultPath } from './vault-path.ts'
import { createVaultSessions, type VaultToken } from './vault-session.ts'

export interface HashicorpVaultOptions {
  /** Default: the process's environment. */
  environment?: Readonly<Record<string, string | undefined>>
  /** Reads the file with the cluster's token. */
  readText?: (path: string) => Promise<string>
}

const title = 'HashiCorp Vault'
const serviceAccountFile = '/var/run/secrets/kubernetes.io/serviceaccount/token'
/** The assumed life of a token that never expires, such as that of a root role. */
const endlessMs = 3_600_000

const authConfig = authConfigOf(
  'vault_auth_type',
  { token: ['vault_token'], approle: ['vault_role_id', 'vault_secret_id'], kubernetes: ['vault_role'] },
  {
    vault_addr: address(),
    vault_token: optionalText(),
    vault_role_id: optionalText(),
    vault_secret_id: optionalText(),
    vault_role: optionalText(),
    vault_namespace: optionalText(1024),
    vault_kv_version: Type.Optional(Type.Unsafe<1 | 2>({ enum: [1, 2], default: 2 })),
  },
)

interface Call {
  settings: JsonObject
  /** The address without a trailing slash. */
  base: string
  headers: Readonly<Record<string, string>>
  io: ProviderIo
}

/** Creates the manager for a process environment. */
export function hashicorpVault(options: HashicorpVaultOptions = {}): SecretManager {
  const environment = options.environment ?? process.env
  const readText = options.readText ?? ((path: string) => readFile(path, 'utf8'))
  const sessions = createVaultSessions()

  async function signIn({ settings, base, headers, io }: Call): Promise<VaultToken> {
    const isCluster = settingOf(settings, 'vault_auth_type') === 'kubernetes'
    const body = isCluster
      ? { role: settings.vault_role, jwt: await clusterToken(base, io) }
      : { role_id: settings.vault_role_id, secret_id: settings.vault_secret_id }
    const answer = await io.fetch({
      method: 'POST',
      url: `${base}/v1/auth/${isCluster ? 'kubernetes' : 'approle'}/login`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 200) throw refused(title, answer.status, 'login')
    return readToken(answer, io.now())
  }

  async function clusterToken(base: string, io: ProviderIo): Promise<string> {
    if (!isOperators(base, environment.VAULT_ADDR, io)) {
      throw new GatewayError(
        'dependency_unavailable',
        `${title}: the cluster's token is sent to VAULT_ADDR, to services of the cluster and to trusted hosts only.`,
      )
    }
    try {
      return (await readText(serviceAccountFile)).trim()
    } catch (cause) {
      throw new GatewayError('dependency_unavailable', `${title}: this process has no token of a cluster.`, {
        cause,
      })
    }
  }

  async function read(call: Call, path: string): Promise<ProviderFetchAnswer> {
    const { settings, base, headers, io } = call
    const get = (token: string) =>
      io.fetch({ method: 'GET', url: `${base}/v1/${path}`, headers: { ...headers, 'x-vault-token': token } })
    if (settingOf(settings, 'vault_auth_type') === 'token')
      return get(settingOf(settings, 'vault_token') ?? '')
    const identity = [base, settings]
    const token = await sessions.token(identity, io.now(), () => signIn(call))
    const answer = await get(token)
    if (answer.status !== 403) return answer
    // The token may have been revoked or used up. The attempt with a new token shows whether that was the reason.
    sessions.forget(identity, token)
    return get(await sessions.token(identity, io.now(), () => signIn(call)))
  }

  return {
    type: 'hashicorp_vault',
    title,
    authConfig,
    secretFields: ['vault_token', 'vault_secret_id'],
    urlField: 'vault_addr',
    async fetch(settings, secretPath, io) {
      const kvVersion = settings.vault_kv_version === 1 ? 1 : 2
      const path = vaultPath(secretPath, kvVersion)
      if (path === null) return null
      const namespace = settingOf(settings, 'vault_namespace')
      const base = (settingOf(settings, 'vault_addr') ?? '').replace(/\/{1,10}$/, '')
      const headers = {
        accept: 'application/json',
        'x-vault-request': 'true',
        ...(namespace === null ? {} : { 'x-vault-namespace': namespace }),
      }
      return readSecret(await read({ settings, base, headers, io }, path), kvVersion)
    },
  }
}

/**
 * Whether the operator of this process runs the server at this address; names of this kind resolve only inside a
 * cluster.
 */
function isOperators(base: string, ownAddress: string | undefined, io: ProviderIo): boolean {
  const { hostname, origin } = new URL(base)
  if (/\.svc(?:\.cluster\.local)?$/.test(hostname) || io.isTrusted(base)) return true
  return ownAddress !== undefined && URL.canParse(ownAddress) && new URL(ownAddress).origin === origin
}

/** `lease_duration` is in seconds; 0: no end. */
function readToken(answer: ProviderFetchAnswer, nowMs: number): VaultToken {
  const { auth } = readObject(answer)
  if (!isObject(auth) || typeof auth.client_token !== 'string') throw unreadable(title)
  const leaseMs = typeof auth.lease_duration === 'number' ? auth.lease_duration * 1000 : 0
  return { text: auth.client_token, expiresAt: nowMs + (leaseMs > 0 ? leaseMs : endlessMs) }
}

function readSecret(answer: ProviderFetchAnswer, kvVersion: 1 | 2): string | null {
  // A deleted version is answered with 404 and its metadata.
  if (answer.status === 404) return null
  if (answer.status !== 200) throw refused(title, answer.status)
  const { data } = readObject(answer)
  if (!isObject(data)) throw unreadable(title)
  const members = kvVersion === 1 ? data : data.data
  if (members === null) return null
  if (!isObject(members)) throw unreadable(title)
  return JSON.stringify(members)
}
