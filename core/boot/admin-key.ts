/**
 * The key with every scope, for bootstrap: `GATEWAY_ADMIN_KEY`, or a key generated at the first start, printed once,
 * and kept as a hash in the data directory.
 */
import { hash, randomInt } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Identity } from '@gateway/contract'
import { defaultWorkspaceId, firstOrganisationId } from '../domain/index.ts'
import { type Key, noDefaults } from '../tenancy/identity/key-ring.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const keyLength = 40

/** A new key: prefix and 40 random letters and digits. */
function createKeyText(prefix: string): string {
  return prefix + Array.from({ length: keyLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** Shows a new admin key on the terminal; it never goes to the log. */
export function printKey(key: string): void {
  process.stderr.write(`\nA new admin key. It is shown only once; only its hash is stored:\n\n  ${key}\n\n`)
}

export interface AdminKeyOptions {
  /** `GATEWAY_ADMIN_KEY`. */
  given: string | undefined
  prefix: string
  dataDirectory: string
  /** Whether the config file declares keys; no admin key is generated then. */
  hasFileKeys: boolean
  /** Shows a new key, once. */
  print(key: string): void
}

/** The admin key's entry; null when only the config file's keys are used. */
export async function openAdminKey(options: AdminKeyOptions): Promise<Key | null> {
  if (options.given !== undefined && options.given !== '')
    return adminKey(hash('sha256', options.given, 'buffer'))
  const path = join(options.dataDirectory, 'admin-key.sha256')
  const kept = await readHash(path)
  if (kept !== null) return adminKey(kept)
  if (options.hasFileKeys) return null
  const key = createKeyText(options.prefix)
  await mkdir(options.dataDirectory, { recursive: true, mode: 0o700 })
  await writeFile(path, `${hash('sha256', key)}\n`, { mode: 0o600, flag: 'wx' })
  options.print(key)
  return adminKey(hash('sha256', key, 'buffer'))
}

async function readHash(path: string): Promise<Buffer | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim()
    if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${path} does not contain a SHA-256 hash.`)
    return Buffer.from(text, 'hex')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function adminKey(hash: Buffer): Key {
  const identity: Identity = {
    type: 'admin',
    keyId: null,
    keyVersion: null,
    name: 'admin',
    organisationId: firstOrganisationId,
    boundWorkspaceId: null,
    workspace: 'default',
    workspaceId: defaultWorkspaceId,
    userId: null,
    role: null,
    scopes: new Set(['*']),
  }
  return { identity, defaults: noDefaults, allowsAddress: null, expiresAt: null, hash }
}
