/** Memory of the replicas while traffic runs, and how it grows. */
import { type Cluster, memoryOf } from './cluster.ts'

interface Sample {
  /** Minutes since the process started. */
  at: number
  megabytes: number
}

export interface MemoryWatch {
  /** MB in 10 minutes, of the replica that grows most; null when it ran too short to tell. */
  slope(): number | null
  /** The largest that was seen, in MB. */
  peak(): number
  stop(): void
}

const sampleMs = 5000
/** Until bounded caches are full, and the collector has seen how much is kept: at 20 requests a second this takes a while. */
const warmUpMinutes = 15
const leastMinutes = 8

export function watchMemory({ nodes }: Cluster): MemoryWatch {
  const series = new Map<number, { startedAt: number; samples: Sample[] }>()
  let peak = 0
  const timer = setInterval(() => {
    for (const { process } of nodes) {
      if (process.hasExited()) continue
      const known = series.get(process.pid) ?? { startedAt: performance.now(), samples: [] }
      series.set(process.pid, known)
      const megabytes = safeMemory(process.pid)
      if (megabytes === null) continue
      peak = Math.max(peak, megabytes)
      known.samples.push({ at: (performance.now() - known.startedAt) / 60_000, megabytes })
    }
  }, sampleMs)
  return {
    slope() {
      const slopes = nodes.flatMap(({ process }) => slopeOf(series.get(process.pid)?.samples ?? []) ?? [])
      return slopes.length === 0 ? null : Math.max(...slopes)
    },
    peak: () => peak,
    stop: () => clearInterval(timer),
  }
}

/** Null for a process that ends at this moment. */
function safeMemory(pid: number): number | null {
  try {
    return memoryOf(pid)
  } catch {
    return null
  }
}

/** Of the least of each minute: what the garbage collector has not come to yet is no growth. */
function slopeOf(samples: readonly Sample[]): number | null {
  const least = new Map<number, number>()
  for (const { at, megabytes } of samples) {
    const minute = Math.floor(at)
    if (minute >= warmUpMinutes) least.set(minute, Math.min(least.get(minute) ?? megabytes, megabytes))
  }
  if (least.size < leastMinutes) return null
  const points = [...least]
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return (over / under) * 10
}
