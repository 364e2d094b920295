/** How much may be buffered where the config file does not say: a quarter of the memory that the process can have. */
import process from 'node:process'
import { getHeapStatistics } from 'node:v8'

const share = 4

/** @param workers processes among which the memory of the container is divided */
export function defaultBufferLimit(workers: number): number {
  const heapBytes = getHeapStatistics().heap_size_limit
  // Undefined or 0 where nothing bounds the container; a bound beyond all memory is none.
  const containerBytes = (process.constrainedMemory() ?? 0) || Number.POSITIVE_INFINITY
  return Math.floor(Math.min(heapBytes, containerBytes / workers) / share)
}
