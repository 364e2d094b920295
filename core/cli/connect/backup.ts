/**
 * Writes a settings file and keeps a backup of the original next to it; also records when there was no original.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const backupOf = (file: string) => `${file}.before-gateway`
/** Marks that there was no file to back up. */
const noFile = '# gateway connect: there was no file.\n'

/** The text of a file; null when it does not exist. */
export async function readIfAny(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** It holds a key: only its owner may read it. */
export async function writeWithBackup(file: string, before: string | null, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  if ((await readIfAny(backupOf(file))) === null)
    await writeFile(backupOf(file), before ?? noFile, { mode: 0o600 })
  const draft = `${file}.draft`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}

/** Whether there was something to restore. */
export async function restore(file: string): Promise<boolean> {
  const backup = await readIfAny(backupOf(file))
  if (backup === null) return false
  if (backup === noFile) await rm(file, { force: true })
  else await writeFile(file, backup)
  await rm(backupOf(file))
  return true
}
