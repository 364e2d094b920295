/**
 * Memory of the replicas while traffic runs, and its growth. The kept memory of a replica is measured after a
 * collection that the soak triggers; resident memory also includes memory that V8 has reserved and not returned, and
 * varies by megabytes on its own.
 */
import { type Cluster, memoryOf } from './cluster.ts'
import { askHeap, type HeapReport } from './heap-report.ts'
import { leastOfMinutes, type Sample, slopeOf } from './slope.ts'

/** MB in 10 minutes, each of the replica where it grows most. */
export type Growth = {
  /** Objects of the heap without code, and buffers. */
  kept: number
  /** Compiled code. */
  code: number
  resident: number
}

export interface MemoryWatch {
  /** The growth; null if the replicas did not run long enough. */
  growth(): Growth | null
  /** The most resident memory of a replica that was seen, in MB. */
  peak(): number
  stop(): void
}

/** The samples of one process, in MB. */
type Series = Record<keyof Growth, Sample[]>

const sampleMs = 15_000
/** The time until bounded caches are full and code is compiled: at 20 requests per second this takes a while. */
const warmUpMinutes = 15
const leastMinutes = 8
const megabyte = 1_048_576

const measures: Record<keyof Growth, (report: HeapReport) => number> = {
  kept: ({ objects, external }) => objects + external,
  code: ({ code }) => code,
  resident: ({ resident }) => resident,
}
const names = Object.keys(measures) as (keyof Growth)[]

export function watchMemory({ nodes }: Pick<Cluster, 'nodes'>): MemoryWatch {
  const series = new Map<number, { startedAt: number; samples: Series }>()
  let peak = 0

  async function sample({ process, folder }: Cluster['nodes'][number]): Promise<void> {
    if (process.hasExited()) return
    const { pid } = process
    const known = series.get(pid) ?? {
      startedAt: performance.now(),
      samples: { kept: [], code: [], resident: [] },
    }
    series.set(pid, known)
    peak = Math.max(peak, residentNow(pid))
    const report = await askHeap(folder.path, pid)
    if (report === null) return
    const at = (performance.now() - known.startedAt) / 60_000
    for (const name of names) known.samples[name].push({ at, megabytes: measures[name](report) / megabyte })
  }

  const timer = setInterval(() => {
    for (const node of nodes) void sample(node)
  }, sampleMs)
  return {
    growth: () => growthOf(nodes.flatMap(({ process }) => series.get(process.pid)?.samples ?? [])),
    peak: () => peak,
    stop: () => clearInterval(timer),
  }
}

/** The resident memory before the collection; 0 for a process that ends at this moment. */
function residentNow(pid: number): number {
  try {
    return memoryOf(pid)
  } catch {
    return 0
  }
}

/** @param running the series of each process that runs at the end; null if none ran long enough */
export function growthOf(running: readonly Series[]): Growth | null {
  const slopes = names.map((name) => [name, steepest(running.map((samples) => samples[name]))] as const)
  // If no slope is null, each name has its number.
  return slopes.some(([, slope]) => slope === null) ? null : (Object.fromEntries(slopes) as Growth)
}

function steepest(series: readonly (readonly Sample[])[]): number | null {
  const slopes = series.flatMap((samples) => {
    const least = leastOfMinutes(samples, warmUpMinutes)
    return least.length < leastMinutes ? [] : (slopeOf(least) ?? [])
  })
  return slopes.length === 0 ? null : Math.max(...slopes)
}
