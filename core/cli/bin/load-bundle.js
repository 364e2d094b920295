/** Sets the V8 flags that can still be set after the start, and runs the bundle. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { bundle } from './freshness.js'

// The heap may grow by 40 % between collections, not by several times: less memory for hardly more work.
setFlagsFromString('--heap-growing-percent=40')
// Marking goes on in small steps between requests. Four threads that mark are four that requests take turns with wherever
// a process has a core to itself, as each of `--workers` has. Only before there is anything to mark: V8 would move objects
// under the hands of threads that it takes for stopped.
setFlagsFromString('--no-concurrent-marking')
// Objects that live as long as a request outlive a collection when many requests are under way. V8 takes the places that
// make them for makers of lasting objects then, makes them all old, and keeps alive what they hold: 10 kB a request, which
// only the slow collections find.
setFlagsFromString('--no-allocation-site-pretenuring')
// Young objects are copied by one thread: several on one core take longer, and each keeps pages of its own.
setFlagsFromString('--no-parallel-scavenge')
// The young generation of this thread was laid out when the process began; other threads have limits of their own.
setFlagsFromString('--max-semi-space-size=0')

/** Returns what the bundle exports. */
export function loadBundle() {
  const script = new Script(read(bundle).latin1Slice(), { filename: bundle })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, (url) => import(url))
  return module.exports
}

/**
 * Reads a file into pages of its own, as buffers that may grow have them. Were megabytes of malloc freed, then glibc would
 * let each thread keep as much free memory from then on, which is 20 MB with all threads of V8.
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
