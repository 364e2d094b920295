/** Jobs of services run on one process at a time, even across a restart. */
import type { Job } from '@gateway/contract'
import { expect } from 'chai'
import { runJobs } from '#core/server/services'
import { createMemoryStore } from '#store/memory/index'
import { until } from '../../support/until.ts'

describe('a job of a service', () => {
  const { shared } = createMemoryStore({ maxEntries: 10, maxBytes: 1000 })
  const start = (job: Job) =>
    runJobs({ jobs: [job], shared, now: () => 0, report: (_job, error) => Promise.reject(error) })

  it('is waited for when the process stops, so that the next process can run it at once', async () => {
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const runs: string[] = []
    const jobOf = (process: string, work: Promise<void>): Job => ({
      name: 'noted',
      intervalMs: 1,
      run: () => {
        runs.push(process)
        return work
      },
    })
    const first = start(jobOf('first', finished))
    await until('a run of the first process', () => runs.length === 1)
    let hasStopped = false
    const stopping = first.stop().then(() => {
      hasStopped = true
    })
    const second = start(jobOf('second', Promise.resolve()))
    expect(hasStopped).to.equal(false)
    finish()
    await stopping
    await until('a run of the second process', () => runs.includes('second'))
    await second.stop()
    expect(runs.filter((process) => process === 'first')).to.deep.equal(['first'])
  })

  it('is reported once a minute while it fails for the same reason, and at once for another one', async () => {
    let nowMs = 0
    let reason = 'the database is down'
    let runs = 0
    const reports: string[] = []
    const job: Job = {
      name: 'failing',
      intervalMs: 1,
      run: async () => {
        runs += 1
        if (reason !== '') throw new Error(reason)
      },
    }
    const jobs = runJobs({
      jobs: [job],
      shared,
      now: () => nowMs,
      report: (_job, error) => reports.push(String((error as Error).message)),
    })
    const afterRuns = async (more: number) => {
      const wanted = runs + more
      await until('further runs', () => runs >= wanted)
    }
    await afterRuns(3)
    expect(reports).to.deep.equal(['the database is down'])
    reason = 'the disk is full'
    await afterRuns(3)
    expect(reports).to.have.length(2)
    nowMs = 60_000
    await afterRuns(3)
    expect(reports).to.deep.equal(['the database is down', 'the disk is full', 'the disk is full'])
    reason = ''
    await afterRuns(3)
    reason = 'the disk is full'
    await afterRuns(3)
    expect(reports).to.have.length(4)
    await jobs.stop()
  })
})
