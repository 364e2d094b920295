/**
 * The load generator, a process of its own: takes jobs over the process channel, one at a time, and
 * answers each with its result. Raw sockets, keep-alive, no pipelining: a connection has one request under
 * way. Ends when the channel closes.
 */

import { BatchedCounter } from './batched-counter.ts'
import { Connection } from './connection.ts'
import type { LoadJob, LoadResult } from './job.ts'

/** For the answers that are still awaited when a job's time is up. */
const GRACE_MS = 6_000

async function run(job: LoadJob): Promise<LoadResult> {
  const counter = new BatchedCounter(job)
  const connections: Connection[] = []
  const ends = Array.from({ length: job.connections }, (_, index) => {
    return new Promise<void>((resolve) => {
      const connection = new Connection(job, counter, resolve)
      connections.push(connection)
      const delayMs = (job.rampMs * index) / job.connections
      if (delayMs > 0) setTimeout(() => connection.next(), delayMs)
      else connection.next()
    })
  })
  const limit = setTimeout(() => {
    for (const connection of connections) connection.stop()
  }, job.limitMs + GRACE_MS)
  await Promise.all(ends)
  clearTimeout(limit)
  return counter.result()
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))
