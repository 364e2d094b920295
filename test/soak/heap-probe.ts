/**
 * Loaded into each replica of the soak before the gateway: a client of the socket in SOAK_PROBE_DIR gets the memory in
 * use after a collection. The socket is named after the process, so a restarted replica has a new one.
 */
import { createServer } from 'node:net'
import { memoryUsage, pid } from 'node:process'
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import { type HeapReport, probeSocket } from './heap-report.ts'

const directory = process.env.SOAK_PROBE_DIR
if (isMainThread && directory !== undefined) answerIn(directory)

function answerIn(folder: string): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    collect()
    // The first collection finds objects whose finalizers free more.
    setImmediate(() => {
      collect()
      socket.end(JSON.stringify(reportNow()))
    })
  })
  server.listen(probeSocket(folder, pid))
  server.unref()
}

function reportNow(): HeapReport {
  const { heapUsed, external, rss } = memoryUsage()
  const { code_and_metadata_size: code } = getHeapCodeStatistics()
  return { objects: heapUsed - code, code, external, resident: rss }
}
