import { expect } from 'chai'
import { isDisturbed, limitOf, type Run } from './judge.ts'

const NO_TIMES = { p50: 1, p99: 1 }
const APART = { server: 1, load: 1, total: 2 }
const SHARED = { server: 2, load: 2, total: 2 }

interface RunOptions {
  serverCpuMs: number
  mockCpuMs: number
  loadCpuMs: number
  layout?: typeof APART
  otherMs?: number
}

/** A run of one second. */
function run({ serverCpuMs, mockCpuMs, loadCpuMs, layout = APART, otherMs = 0 }: RunOptions): Run {
  return {
    server: 'relay',
    round: 1,
    wallMs: 1000,
    serverCpuMs,
    mockCpuMs,
    busyMs: serverCpuMs + mockCpuMs + loadCpuMs + otherMs,
    residentBytes: 0,
    layout,
    result: {
      completed: 1,
      failed: 0,
      firstFailure: '',
      elapsedMs: 1000,
      latencyMs: NO_TIMES,
      firstEventMs: NO_TIMES,
      cpuMs: loadCpuMs,
      timed: null,
    },
  }
}

describe('bench: the limiting resource of a run', () => {
  const cases = [
    {
      name: 'the server, when its core is used up',
      run: run({ serverCpuMs: 980, mockCpuMs: 300, loadCpuMs: 300 }),
      limit: 'server',
    },
    {
      name: 'the load, when its core is used up and the server idles',
      run: run({ serverCpuMs: 600, mockCpuMs: 450, loadCpuMs: 500 }),
      limit: 'load',
    },
    {
      name: 'no one, when both have idle time',
      run: run({ serverCpuMs: 600, mockCpuMs: 300, loadCpuMs: 300 }),
      limit: 'none',
    },
    {
      name: 'the load, when all share cores that are used up',
      run: run({ serverCpuMs: 1100, mockCpuMs: 400, loadCpuMs: 480, layout: SHARED }),
      limit: 'load',
    },
  ]
  for (const { name, run, limit } of cases) {
    it(`is ${name}`, () => {
      expect(limitOf(run)).to.equal(limit)
    })
  }
})

describe('bench: a disturbed run', () => {
  it('is one in which other processes used more than a tenth of a core', () => {
    expect(
      isDisturbed(run({ serverCpuMs: 500, mockCpuMs: 200, loadCpuMs: 200, layout: APART, otherMs: 90 })),
    ).to.equal(false)
    expect(
      isDisturbed(run({ serverCpuMs: 500, mockCpuMs: 200, loadCpuMs: 200, layout: APART, otherMs: 110 })),
    ).to.equal(true)
  })
})
