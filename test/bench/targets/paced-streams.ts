/**
 * Streams with a constant rate: each keeps its initial phase despite delays of the process, so streams with different
 * phases never synchronise into bursts.
 */
import { PACED_CHUNKS, PACED_INTERVAL_MS } from './wire-data.ts'

interface Stream {
  sequence: number
  /** Writes the event with that number; false when the client has disconnected. */
  write(sequence: number): boolean
  end(): void
}

/** The streams by the millisecond, within the interval, at which their events are due. */
const slots: Set<Stream>[] = Array.from({ length: PACED_INTERVAL_MS }, () => new Set())
let open = 0
let served = 0
let timer: NodeJS.Timeout | null = null

/** Writes {@link PACED_CHUNKS} events, one each {@link PACED_INTERVAL_MS}, and then the end. */
export function startPacedStream(write: Stream['write'], end: Stream['end']): void {
  if (timer === null) {
    served = nowMs()
    timer = setInterval(serveDue, 1)
  }
  slots[nowMs() % PACED_INTERVAL_MS]?.add({ sequence: 0, write, end })
  open += 1
}

function serveDue(): void {
  for (const now = nowMs(); served < now; served += 1) {
    const slot = slots[(served + 1) % PACED_INTERVAL_MS] ?? new Set()
    for (const stream of slot) if (!serve(stream)) close(slot, stream)
  }
}

/** Writes due events; false when the stream is over. */
function serve(stream: Stream): boolean {
  if (stream.sequence === PACED_CHUNKS) {
    stream.end()
    return false
  }
  stream.sequence += 1
  return stream.write(stream.sequence - 1)
}

function close(slot: Set<Stream>, stream: Stream): void {
  slot.delete(stream)
  open -= 1
  if (open > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}

function nowMs(): number {
  return Math.floor(performance.now())
}
