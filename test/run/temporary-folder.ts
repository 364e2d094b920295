/**
 * The folder for tests' temporary files: in memory if there is room, because databases wait for the disk at each
 * commit. `TMPDIR` overrides it.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/** Creates a folder that {@link removeTemporaryFolder} removes. */
export function makeTemporaryFolder(): string {
  if (process.env.TMPDIR === undefined && hasRoom()) {
    const folder = makeIn(memory)
    if (canExecute(folder)) return folder
    removeTemporaryFolder(folder)
  }
  return makeIn(tmpdir())
}

function makeIn(parent: string): string {
  const folder = mkdtempSync(join(parent, 'gateway-tests-'))
  // Postgres runs as another user and must reach its folder below this one.
  chmodSync(folder, 0o711)
  return folder
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

function hasRoom(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes
  } catch {
    // Not mounted.
    return false
  }
}

/** Packages that tests install have programs, which some systems do not run from memory. */
function canExecute(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o700)
  return spawnSync(program).status === 0
}
