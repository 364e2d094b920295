/** Hands everything that was written to the system, also what Node itself holds back until the next tick. */
import type { ServerResponse } from 'node:http'

export function flushWrites({ socket }: ServerResponse): void {
  while (socket?.writableCorked) socket.uncork()
}
