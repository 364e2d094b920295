/**
 * Allows one build of a checkout at a time. Commands that start together in an outdated checkout wait for the same
 * build.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { core } from './freshness.js'

/** A file with the id of the process that builds. */
const lockOfCheckout = join(core, 'dist', '.building')
const askAgainMs = 100
/** No build takes that long: its process was killed, and its id now belongs to another process. */
const maxAgeMs = 300_000

/** Calls `build` when no other process builds; returns its result. A lock left by a killed build is removed. */
export async function withBuildLock(build, lock = lockOfCheckout) {
  mkdirSync(dirname(lock), { recursive: true })
  while (!takeLock(lock)) await wait(askAgainMs)
  try {
    return await build()
  } finally {
    rmSync(lock, { force: true })
  }
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  if (!isHeld(lock)) rmSync(lock, { force: true })
  return false
}

function isHeld(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > maxAgeMs) return false
    // While its holder is still writing it, it is empty, and the signal 0 to process 0 succeeds.
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return true
  } catch (error) {
    // A process of another user is alive, too. A missing lock has been released in the meantime.
    return error.code === 'EPERM' || error.code === 'ENOENT'
  }
}
