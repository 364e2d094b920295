/**
 * Loaded into each replica of the soak before the gateway: answers on a socket in the directory SOAK_PROBE_DIR with the
 * memory that is in use after a collection. The file has the name of the process, so that restarts do not collide.
 */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { memoryUsage, pid } from 'node:process'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** Bytes. */
export interface HeapReport {
  /** Objects of JavaScript that are in use, code left out. */
  heap: number
  /** Compiled code, which V8 adds for what it finds to run often. */
  code: number
  /** Buffers and what else objects keep outside the heap. */
  external: number
  resident: number
}

const directory = process.env.SOAK_PROBE_DIR
if (isMainThread && directory !== undefined) answerIn(directory)

function answerIn(folder: string): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    collect()
    // Buffers are freed when the objects that held them were finalised.
    setImmediate(() => {
      collect()
      socket.end(JSON.stringify(reportNow()))
    })
  })
  server.listen(join(folder, `${pid}.socket`))
  server.unref()
}

function reportNow(): HeapReport {
  const { heapUsed, external, rss } = memoryUsage()
  const code = getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith('code'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  return { heap: heapUsed - code, code, external, resident: rss }
}
