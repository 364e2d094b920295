/**
 * The SQLite thread. One thread serves both files, because each thread loads the query builder separately; batches of the
 * log are short, and no request waits for them.
 */
import { getPriority, setPriority } from 'node:os'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { serveFiles } from './serve-files.ts'
import type { Reply, WorkerOptions } from './worker-messages.ts'

/** Higher than that of the main thread, which answers requests and has priority when both share a core. */
const extraNiceness = 5
const highestNiceness = 19

/** On Linux each thread has its own priority; elsewhere the process has one, which stays unchanged. */
function yieldToRequests(): void {
  if (process.platform !== 'linux') return
  setPriority(0, Math.min(getPriority(0) + extraNiceness, highestNiceness))
}

/** A prepared thread receives its files later, as the first message. */
function serve(port: MessagePort, files: WorkerOptions | null): void {
  if (files === null) {
    port.once('message', (given: WorkerOptions) => serveFiles(port, given))
    port.postMessage([{ type: 'loaded' }] satisfies Reply[])
  } else serveFiles(port, files)
}

yieldToRequests()
if (parentPort !== null) serve(parentPort, workerData as WorkerOptions | null)
