/** The memory report of a replica of the soak, and the function that requests it. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'

/** Bytes, after a collection. */
export interface HeapReport {
  /** The bytes in the heap, without code. */
  objects: number
  /** Machine code that V8 has compiled, with its tables: it adds some for as long as it finds functions to be hot. */
  code: number
  /** Buffers and other memory of objects outside the heap. */
  external: number
  /** The resident memory of the whole process. */
  resident: number
}

/** A socket's path may have about 100 characters. */
export const probeSocket = (folder: string, pid: number): string => join(folder, String(pid))

const answerLimitMs = 10_000

/** Null while the process does not answer: it is starting, ending or hangs. */
export async function askHeap(folder: string, pid: number): Promise<HeapReport | null> {
  const socket = connect(probeSocket(folder, pid))
  socket.setTimeout(answerLimitMs, () => socket.destroy(new Error('no answer')))
  let text = ''
  socket.on('data', (bytes) => {
    text += String(bytes)
  })
  try {
    await once(socket, 'end')
    return JSON.parse(text) as HeapReport
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}
