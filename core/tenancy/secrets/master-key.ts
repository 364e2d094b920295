/**
 * The master key that seals secrets: `GATEWAY_ENCRYPTION_KEY`, or a key created once and stored in the data directory.
 */
import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '@gateway/contract'

const keyBytes = 32

/** The path of the stored key, used if the environment contains none. */
export const masterKeyPath = (dataDirectory: string) => join(dataDirectory, 'encryption-key')

/** The path of the previous key during a rotation, for resuming an interrupted rotation. */
const previousKeyPath = (dataDirectory: string) => `${masterKeyPath(dataDirectory)}.previous`

/** Keys with which secrets may still be sealed: from the environment, and from an unfinished rotation. */
export async function previousKeys(given: Buffer | null, dataDirectory: string): Promise<Buffer[]> {
  const kept = await readKey(previousKeyPath(dataDirectory))
  return [given, kept].filter((key) => key !== null)
}

/** Replaces the stored key and keeps the previous one until {@link forgetPreviousKey}. */
export async function replaceMasterKey(dataDirectory: string): Promise<void> {
  const path = masterKeyPath(dataDirectory)
  const previous = previousKeyPath(dataDirectory)
  // An existing previous key belongs to an interrupted rotation and must not be lost.
  if ((await readKey(previous)) !== null) return
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  await link(path, previous)
  await rename(draft, path)
}

export async function forgetPreviousKey(dataDirectory: string): Promise<void> {
  await rm(previousKeyPath(dataDirectory), { force: true })
}

/** The key of 32 bytes. Throws if the file contains no key, or cannot be read or written. */
export async function openMasterKey(given: Buffer | null, dataDirectory: string): Promise<Buffer> {
  if (given !== null) return given
  const path = masterKeyPath(dataDirectory)
  const kept = await readKey(path)
  if (kept !== null) return kept
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  // The file is written completely and then renamed: workers that start at the same time must not read a partial key.
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, path)
  } catch (error) {
    // The other process was first, so its key is used.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  const made = await readKey(path)
  if (made === null) throw new Error(`${path} was created and has disappeared.`)
  return made
}

async function readKey(path: string): Promise<Buffer | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes)
    throw new GatewayError(
      'invalid_config',
      `${path} does not contain an encryption key (32 bytes in base64): restore the file, or set GATEWAY_ENCRYPTION_KEY. If the store is new, delete the file.`,
    )
  return key
}
