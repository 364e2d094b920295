/** Passes all written data to the operating system, including data that Node holds back until the next tick. */
import type { ServerResponse } from 'node:http'

export function flushWrites({ socket }: ServerResponse): void {
  while (socket?.writableCorked) socket.uncork()
}
