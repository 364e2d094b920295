/**
 * A bounded queue on disk: batches that the server has not accepted yet, one file each, which survive a crash of the
 * process and, if requested, of the machine. Any process of the machine may send any file; it claims one by renaming
 * it. File names contain order, kind, number of rows and bytes, so a directory listing shows the queue:
 * `TIME-RANDOM.KIND.ROWS.BYTES.jsonl`, followed by `.PID-RANDOM` while claimed. Errors: `store_unavailable` when it is
 * full.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { GatewayError } from '@gateway/contract'

export type RowKind = 'entries' | 'feedback'

export interface Batch {
  kind: RowKind
  rows: number
  bytes: number
  /** JSON lines. */
  read(): Promise<string>
  /** Removes the batch after the server has accepted it. */
  remove(): Promise<void>
  /** Returns the batch to the queue. */
  release(): Promise<void>
}

export interface DiskQueue {
  add(kind: RowKind, lines: readonly string[], options: { isDurable: boolean }): Promise<void>
  /** Claims the oldest batches within these limits, and at least one if any is queued. */
  claim(limits: { rows: number; bytes: number }): Promise<Batch[]>
  /** Whether this process has seen no queued batch. */
  isEmpty(): boolean
}

/** A claim ends when its process no longer exists, or after this time. */
const claimMs = 120_000
const nameShape =
  /^(\d{14}-[0-9a-f-]{36})\.(entries|feedback)\.(\d+)\.(\d+)\.jsonl(?:\.(\d+)-([0-9a-f-]{36}))?$/

interface Named {
  name: string
  kind: RowKind
  rows: number
  bytes: number
  owner: { pid: number; token: string } | null
}

function readName(name: string): Named | null {
  const [, , kind, rows, bytes, pid, token] = nameShape.exec(name) ?? []
  if (kind !== 'entries' && kind !== 'feedback') return null
  const owner = pid === undefined || token === undefined ? null : { pid: Number(pid), token }
  return { name, kind, rows: Number(rows), bytes: Number(bytes), owner }
}

export async function openDiskQueue(directory: string, maxBytes: number): Promise<DiskQueue> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const self = randomUUID()
  let sequence = 0
  /** The bytes of the files that were listed last, and of those that were queued since. */
  let queued = 0
  /** The bytes of batches whose files are being written. */
  let adding = 0
  let last: Promise<unknown> = Promise.resolve()
  await list()

  /** Runs after earlier calls: a list that began before a file was queued or removed would count it wrongly. */
  function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = last.then(run)
    // Its caller gets the error; the next call runs all the same.
    last = result.catch(() => undefined)
    return result
  }

  /** The queued files; the sum of their sizes is compared with the limit. */
  function list(): Promise<Named[]> {
    return inTurn(async () => {
      const found = (await readdir(directory)).map(readName).filter((named) => named !== null)
      queued = found.reduce((sum, { bytes }) => sum + bytes, 0)
      return found.sort((left, right) => (left.name < right.name ? -1 : 1))
    })
  }

  async function isAbandoned({ name, owner }: Named): Promise<boolean> {
    if (owner === null || owner.token === self) return false
    if (owner.pid === process.pid || !isAlive(owner.pid)) return true
    const found = await stat(join(directory, name)).catch(whereMissing(null))
    return found !== null && Date.now() - found.ctimeMs > claimMs
  }

  async function take(named: Named): Promise<Batch | null> {
    const plain = named.name.replace(/\.jsonl\..*$/, '.jsonl')
    const claimed = `${plain}.${process.pid}-${self}`
    const path = join(directory, claimed)
    // Another process may have claimed it first.
    const isMine = await rename(join(directory, named.name), path).then(() => true, whereMissing(false))
    if (!isMine) return null
    const { kind, rows, bytes } = named
    return {
      kind,
      rows,
      bytes,
      read: () => readFile(path, 'utf8'),
      remove: () =>
        inTurn(async () => {
          await unlink(path).catch(whereMissing(undefined))
          queued = Math.max(0, queued - bytes)
        }),
      release: () => rename(path, join(directory, plain)).catch(whereMissing(undefined)),
    }
  }

  return {
    isEmpty: () => queued + adding === 0,
    async add(kind, lines, { isDurable }) {
      const text = lines.map((line) => `${line}\n`).join('')
      const bytes = Buffer.byteLength(text)
      if (queued + adding + bytes > maxBytes)
        throw new GatewayError(
          'store_unavailable',
          'ClickHouse is not available, and its queue on disk is full.',
        )
      sequence += 1
      // Names sort by time, and within a millisecond by sequence.
      const at = String(Date.now()).padStart(13, '0') + String(sequence % 10)
      const name = `${at}-${randomUUID()}.${kind}.${lines.length}.${bytes}.jsonl`
      const path = join(directory, name)
      const draft = `${path}.new`
      adding += bytes
      try {
        const file = await open(draft, 'wx', 0o600)
        try {
          await file.writeFile(text)
          if (isDurable) await file.sync()
        } finally {
          await file.close()
        }
        await inTurn(async () => {
          await rename(draft, path)
          // Both at once: a batch that counts twice could make the queue look full.
          queued += bytes
          adding -= bytes
        })
      } catch (error) {
        adding -= bytes
        // On a full disk, it would take the room that the next batch needs.
        await rm(draft, { force: true })
        throw error
      }
      if (isDurable) await syncDirectory(directory)
    },
    async claim({ rows: mostRows, bytes: mostBytes }) {
      const claimed: Batch[] = []
      let [rows, bytes] = [0, 0]
      for (const named of await list()) {
        if (claimed.length > 0 && (rows + named.rows > mostRows || bytes + named.bytes > mostBytes)) break
        if (named.owner !== null && !(await isAbandoned(named))) continue
        const batch = await take(named)
        if (batch === null) continue
        claimed.push(batch)
        rows += batch.rows
        bytes += batch.bytes
      }
      return claimed
    },
  }
}

/** A file's name is durable only after its directory is synced. Windows does not sync directories. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !isCode(error, 'ESRCH')
  }
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code

/** The result of a call for a file that no longer exists. */
const whereMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isCode(error, 'ENOENT')) return value
    throw error
  }
