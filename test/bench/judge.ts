/** Evaluates a single run: what limited it, and whether other processes disturbed it. */
import type { LoadResult } from './load/job.ts'

/** A run of one server in one round. */
export interface Run {
  /** The server's label. */
  server: string
  round: number
  result: LoadResult
  /** Wall time between the readings of the figures below. */
  wallMs: number
  serverCpuMs: number
  mockCpuMs: number
  /** The time that the cores in use were busy, with any process. */
  busyMs: number
  residentBytes: number
  layout: Layout
}

/** The cores of each process; shared cores count once in `total`. */
export interface Layout {
  server: number
  /** Cores of load generator and mock together. */
  load: number
  total: number
}

const SATURATED = 0.9
const DISTURBED_SHARE_OF_A_CORE = 0.1

/**
 * `server`: the server's cores are fully used. `load`: those of the load generator and the mock are fully used, and the
 * server could do more. `none`: no cores are fully used.
 */
export function limitOf(run: Run): 'server' | 'load' | 'none' {
  const { layout, wallMs } = run
  const loadMs = run.result.cpuMs + run.mockCpuMs
  if (run.serverCpuMs >= SATURATED * wallMs * layout.server) return 'server'
  const apart = layout.total >= layout.server + layout.load
  const usedMs = apart ? loadMs : loadMs + run.serverCpuMs
  const cores = apart ? layout.load : layout.total
  return usedMs >= SATURATED * wallMs * cores ? 'load' : 'none'
}

/** Whether other processes than the bench's used more than a tenth of a core. */
export function isDisturbed(run: Run): boolean {
  const ownMs = run.serverCpuMs + run.mockCpuMs + run.result.cpuMs
  return run.busyMs - ownMs > DISTURBED_SHARE_OF_A_CORE * run.wallMs
}
