/** The client of the load generator: starts its process and sends it one job at a time. */
import { type Child, startChild } from '../children.ts'
import { script } from '../paths.ts'
import type { LoadJob, LoadResult } from './job.ts'

/** Above the load generator's own limits: only a process that hangs reaches it. */
const GRACE_MS = 30_000

export interface LoadClient {
  child: Child
  /** Runs a job; rejects when the load generator ends or hangs. */
  run(job: LoadJob): Promise<LoadResult>
}

/** Starts the load generator. */
export function startLoad(cores: readonly number[] | null): LoadClient {
  const child = startChild({ name: 'load', args: [script('load/load-process.js')], cores, channel: true })
  return { child, run: (job) => runJob(child, job) }
}

function runJob(child: Child, job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer)
      child.process.off('message', onResult)
      child.process.off('exit', onExit)
    }
    const onResult = (result: unknown): void => {
      finish()
      resolve(result as LoadResult)
    }
    const onExit = (): void => {
      finish()
      reject(new Error('the load generator ended'))
    }
    const timer = setTimeout(() => {
      finish()
      reject(new Error('the load generator does not answer'))
    }, job.limitMs + GRACE_MS)
    child.process.on('message', onResult)
    child.process.on('exit', onExit)
    child.process.send(job)
  })
}
