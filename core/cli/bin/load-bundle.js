/** Sets the V8 flags that can be set after the start, and runs the bundle. */
import cluster from 'node:cluster'
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { bundle, fingerprintLength } from './freshness.js'

// The heap may grow by 40 % between collections instead of several times: far less memory for little more work.
setFlagsFromString('--heap-growing-percent=40')
// Marks in small steps between requests. Concurrent marking threads compete with requests when a process has one core,
// as with `--workers`. Set before anything is marked: later, V8 would move objects while marking threads still run.
setFlagsFromString('--no-concurrent-marking')
// With many concurrent requests, per-request objects survive a collection. V8 then pretenures their allocation sites,
// which keeps about 10 kB per request alive until a full collection.
setFlagsFromString('--no-allocation-site-pretenuring')
// One scavenger thread: several on one core are slower, and each keeps its own pages.
setFlagsFromString('--no-parallel-scavenge')
// V8 may return the memory of an idle process after ten minutes instead of eight seconds. For that it drops the hidden
// classes and the compiled code of requests, and the next few thousand requests take up to four times as long.
setFlagsFromString('--gc-memory-reducer-start-delay-ms=600000')
// The young generation of this thread was laid out when the process began; other threads have limits of their own.
setFlagsFromString('--max-semi-space-size=0')

/** The delay after the start of a gateway: by then, V8 has compiled the code of a start. */
const keepAfterMs = 2000

/** Returns what the bundle exports. */
export function loadBundle() {
  const bytes = read(bundle)
  const fingerprint = bytes.latin1Slice(bytes.length - fingerprintLength)
  const cache = `${bundle}-${fingerprint}-${cachedDataVersionTag().toString(16)}.cache`
  const cachedData = existsSync(cache) ? read(cache) : undefined
  const script = new Script(bytes.latin1Slice(), { filename: bundle, cachedData })
  const isKept = cachedData !== undefined && script.cachedDataRejected !== true
  if (!isKept && process.argv[2] === 'start' && cluster.isPrimary)
    setTimeout(() => keepCompiled(script, cache), keepAfterMs).unref()
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, (url) => import(url))
  return module.exports
}

/**
 * Stores V8's compiled code, which halves the processor time of later starts. The file's name has the bundle's
 * fingerprint and V8's version, flags and processor features. If the folder is not writable, each start compiles.
 */
function keepCompiled(script, cache) {
  const unfinished = `${cache}.${process.pid}`
  try {
    writeFileSync(unfinished, script.createCachedData(), { flag: 'wx', flush: true })
    renameSync(unfinished, cache)
  } catch {
    rmSync(unfinished, { force: true })
  }
}

/**
 * Reads a file into separately mapped pages, by way of a resizable buffer. Freeing megabytes of malloc memory would
 * raise glibc's mmap threshold and let each V8 thread keep free memory: 20 MB in all.
 * https://man7.org/linux/man-pages/man3/mallopt.3.html, M_MMAP_THRESHOLD
 */
function read(path) {
  const file = openSync(path)
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }))
    for (let end = 0; end < size; ) {
      const count = readSync(file, bytes, end, size - end, end)
      if (count === 0) throw new Error(`${path} became shorter while it was read.`)
      end += count
    }
    return bytes
  } finally {
    closeSync(file)
  }
}
