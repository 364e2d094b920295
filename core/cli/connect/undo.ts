/** Reverts the changes of connections, and no others. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from './agents.ts'
import { formats } from './formats/index.ts'
import { hashOf, readIfAny, type WrittenFile, writePrivate } from './record.ts'

export interface Undone {
  file: string
  /** Settings that were changed after the connection and therefore stay. */
  kept: string[]
}

/** Throws if a file can no longer be parsed. */
export async function undoFile(home: string, { files }: Agent, written: WrittenFile): Promise<Undone> {
  const file = join(home, written.file)
  const text = await readIfAny(file)
  const known = files.find((each) => each.file === written.file)
  if (text === null || known === undefined) return { file, kept: [] }
  const { left, kept } = hashOf(text) === written.hash ? { left: written.before, kept: [] } : withoutOwn(text)
  if (left === null) await rm(file)
  else await writePrivate(file, left)
  return { file, kept }

  function withoutOwn(edited: string): { left: string | null; kept: string[] } {
    const format = formats[known?.format ?? 'json']
    const others: string[] = []
    let rest = edited
    for (const { path, before, hash } of written.values.toReversed()) {
      const raw = format.read(rest, path)
      if (raw === null) continue
      if (hashOf(raw) !== hash) others.push(path.join('.'))
      else rest = before === null ? format.remove(rest, path) : format.write(rest, path, before)
    }
    const isOurs = written.before === null && /^(?:\s|\{\s*\})*$/.test(rest)
    return { left: isOurs ? null : rest, kept: others }
  }
}
