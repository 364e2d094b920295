/**
 * Records the changes of a connection in `~/.gateway/connect/AGENT.json`. The next connection uses the same key, and
 * `--undo` reverts only these changes. Only its owner can read the file, because former values may be secrets.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isObject, parseJson } from '@gateway/contract'
import type { Path } from './formats/format.ts'

export interface WrittenFile {
  file: string
  /** The whole text before the first connection; null if the file did not exist. */
  before: string | null
  /** The hash of the text that was written. */
  hash: string
  values: { path: Path; before: string | null; hash: string }[]
}

export interface MadeKey {
  id: string
  url: string
  /** The config that was created for it, and the provider that it selects. */
  configId: string | null
  provider: string | null
}

export interface Connection {
  files: WrittenFile[]
  key: MadeKey | null
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const fileOf = (home: string, agent: string) => join(home, '.gateway', 'connect', `${agent}.json`)

/** The text of a file; null when it does not exist. */
export async function readIfAny(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** The file contains a key, so only its owner may read it. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.draft`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}

export async function readConnection(home: string, agent: string): Promise<Connection | null> {
  const text = await readIfAny(fileOf(home, agent))
  const read = text === null ? null : parseJson(text)
  // The file was written by this command.
  return isObject(read) ? (parseJson(text ?? '') as Connection) : null
}

export async function saveConnection(home: string, agent: string, connection: Connection): Promise<void> {
  const { files, key } = connection
  if (files.length === 0 && key === null) await rm(fileOf(home, agent), { force: true })
  else await writePrivate(fileOf(home, agent), `${JSON.stringify(connection)}\n`)
}
