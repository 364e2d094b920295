/** The kept data: a folder for each version, with what its gateway returned at the time. */
import { mkdirSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { until } from '../support/until.ts'
import { answerOk, openUpstream, type Upstream } from '../support/upstream.ts'
import type { Filled } from './fill.ts'
import type { Reading } from './reads.ts'

const folder = fileURLToPath(new URL('../../upgrades/kept', import.meta.url))

export const adminKey = 'admin-key-of-the-kept-data-0123456789'
/** The encryption key of the data on Postgres; SQLite's folder has a separate key. */
export const encryptionKey = Buffer.alloc(32, 5).toString('base64')

/** The address of the stored providers: their credentials must not be sent to another one. */
const port = 27_841

/** A free port is not enough here, so this waits while another run of the same tests has it. */
export async function openKeptUpstream(): Promise<Upstream> {
  return until('the port of the kept providers is free', () =>
    openUpstream(answerOk, port).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return null
      throw error
    }),
  )
}

export type Engine = 'sqlite' | 'postgres'

export interface Recorded {
  version: string
  commit: string
  madeAtMs: number
  filled: Filled
  reading: Reading
}

/** The versions, from the oldest to the newest. */
export const versions = (): string[] =>
  readdirSync(folder).sort((left, right) => left.localeCompare(right, 'en', { numeric: true }))

/** The paths of a version's files: its config file, its data, and the answers of its gateway. */
export function placesOf(version: string, engine: Engine) {
  const own = join(folder, version)
  mkdirSync(own, { recursive: true })
  return {
    config: join(own, 'gateway.yaml'),
    data: join(own, engine === 'sqlite' ? 'sqlite' : 'postgres.sql.gz'),
    recorded: join(own, `${engine}.json.gz`),
  }
}

export async function writeRecorded(engine: Engine, recorded: Recorded): Promise<void> {
  const text = JSON.stringify(recorded)
  await writeFile(placesOf(recorded.version, engine).recorded, gzipSync(text, { level: 9 }))
}

export async function readRecorded(version: string, engine: Engine): Promise<Recorded> {
  return JSON.parse(gunzipSync(await readFile(placesOf(version, engine).recorded)).toString()) as Recorded
}
