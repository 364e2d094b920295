/**
 * The load generator, in a separate process: receives jobs over the process channel, one at a time, and answers each
 * with its result. It uses raw sockets with keep-alive and without pipelining: a connection has one request in flight.
 * It ends when the channel closes.
 */

import { BatchedCounter } from './batched-counter.ts'
import { Connection } from './connection.ts'
import type { LoadJob, LoadResult } from './job.ts'

/** The extra time for pending answers at the end of a job. */
const GRACE_MS = 6_000

async function run(job: LoadJob): Promise<LoadResult> {
  const counter = new BatchedCounter(job)
  const open = job.ratePerS === undefined ? runClosedLoop : runOpenLoop
  const { connections, ended } = open(job, counter)
  const limit = setTimeout(() => {
    for (const connection of connections) connection.stop()
  }, job.limitMs + GRACE_MS)
  await ended
  clearTimeout(limit)
  return counter.result()
}

interface Running {
  connections: readonly Connection[]
  ended: Promise<unknown>
}

/** Each connection sends its next request after its answer. */
function runClosedLoop(job: LoadJob, counter: BatchedCounter): Running {
  const connections: Connection[] = []
  const ends = Array.from({ length: job.connections }, (_, index) => {
    return new Promise<void>((finished) => {
      const connection = new Connection(job, counter, { finished, free: (self) => self.next() })
      connections.push(connection)
      const delayMs = (job.rampMs * index) / job.connections
      if (delayMs > 0) setTimeout(() => connection.next(), delayMs)
      else connection.next()
    })
  })
  return { connections, ended: Promise.all(ends) }
}

/** Requests are due at equal intervals; each takes a free connection, or the first that becomes free. */
function runOpenLoop(job: LoadJob, counter: BatchedCounter): Running {
  const { ratePerS = 1, limitMs } = job
  const startedAt = performance.now()
  const connections: Connection[] = []
  const idle: Connection[] = []
  const late: number[] = []
  let due = 0
  const ended = new Promise<void>((resolve) => {
    let left = job.connections
    const finished = () => {
      left -= 1
      if (left === 0) resolve()
    }
    const free = (connection: Connection) => {
      const dueAt = late.shift()
      if (dueAt !== undefined) connection.next(dueAt)
      else if (performance.now() - startedAt > limitMs) connection.stop()
      else idle.push(connection)
    }
    for (let index = 0; index < job.connections; index += 1)
      connections.push(new Connection(job, counter, { finished, free }))
    idle.push(...connections)
    const tick = () => {
      const now = performance.now()
      if (now - startedAt > limitMs) {
        for (const connection of idle.splice(0)) connection.stop()
        return
      }
      for (const until = ((now - startedAt) / 1000) * ratePerS; due < until; due += 1) {
        // The one that was used last, so that few are open.
        const connection = idle.pop()
        if (connection === undefined) late.push(now)
        else connection.next(now)
      }
      setTimeout(tick, 1)
    }
    tick()
  })
  return { connections, ended }
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
