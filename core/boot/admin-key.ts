/**
 * The admin key, which has every scope: `GATEWAY_ADMIN_KEY`, or a key that is generated at the first start, printed
 * once the gateway listens, and stored as a hash in the data directory.
 */
import { hash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { GatewayError, type Identity } from '@gateway/contract'
import { createKey, defaultWorkspaceId, firstOrganisationId } from '@gateway/domain'
import { type Key, noDefaults } from '../tenancy/index.ts'

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
}

export interface AdminKey {
  /** Null when only the config file's keys are used. */
  entry: Key | null
  /** A key that was created now, to be shown once the gateway listens. */
  created: CreatedAdminKey | null
}

export interface CreatedAdminKey {
  text: string
  /** Removes the key if the gateway did not start: it was never printed. */
  discard(): Promise<void>
}

export async function openAdminKey(options: AdminKeyOptions): Promise<AdminKey> {
  const { given, dataDirectory } = options
  if (given !== undefined && given !== '')
    return { entry: entryOf(hash('sha256', given, 'buffer')), created: null }
  const path = pathIn(dataDirectory)
  const kept = await readHash(path)
  if (kept !== null) return { entry: entryOf(kept), created: null }
  if (options.hasFileKeys) return { entry: null, created: null }
  const text = createKey(options.prefix)
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  await writeFile(path, hashLine(text), { mode: 0o600, flag: 'wx' })
  const discard = () => rm(path, { force: true })
  return { entry: entryOf(hash('sha256', text, 'buffer')), created: { text, discard } }
}

/** Replaces the admin key of the data directory and returns the new key. Running gateways use it after a restart. */
export async function resetAdminKey(dataDirectory: string, prefix: string): Promise<string> {
  const text = createKey(prefix)
  const path = pathIn(dataDirectory)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  await writeFile(draft, hashLine(text), { mode: 0o600, flag: 'wx' })
  await rename(draft, path)
  return text
}

const pathIn = (dataDirectory: string) => join(dataDirectory, 'admin-key.sha256')
const hashLine = (key: string) => `${hash('sha256', key)}\n`

async function readHash(path: string): Promise<Buffer | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim()
    if (!/^[0-9a-f]{64}$/.test(text))
      throw new GatewayError(
        'invalid_config',
        `${path} does not contain the hash of the admin key: write a new one with "gateway keys reset-admin", or set GATEWAY_ADMIN_KEY.`,
      )
    return Buffer.from(text, 'hex')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function entryOf(hash: Buffer): Key {
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
