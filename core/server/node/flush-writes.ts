/** Passes all written data to the operating system, including data that Node holds back until the next tick. */
import type { ServerResponse } from 'node:http'

export function flushWrites(response: ServerResponse): void {
  uncork(response.socket)
  // Node 26 holds chunks back in the response. In earlier versions, a response counts as corked while its socket is.
  uncork(response)
  uncork(response.socket)
}

function uncork(stream: Pick<ServerResponse, 'writableCorked' | 'uncork'> | null): void {
  while (stream !== null && stream.writableCorked > 0) stream.uncork()
}
