/** The default buffer limit: a quarter of the memory available to the process. */
import process from 'node:process'
import { getHeapStatistics } from 'node:v8'

const share = 4

/** @param workers number of processes that share the container's memory */
export function defaultBufferLimit(workers: number): number {
  const heapBytes = getHeapStatistics().heap_size_limit
  // The container limit; undefined or 0 without one. A limit larger than the machine's memory has no effect.
  const containerBytes = (process.constrainedMemory() ?? 0) || Number.POSITIVE_INFINITY
  return Math.floor(Math.min(heapBytes, containerBytes / workers) / share)
}
