/** The response that Node is writing to a connection, from a private property of Node; null between two requests. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export function responseInProgress(socket: Duplex): ServerResponse | null {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null }
  return response ?? null
}
