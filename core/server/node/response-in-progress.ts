/** The response that Node is writing to a connection; null between two requests. Node keeps it in a private property. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export function responseInProgress(socket: Duplex): ServerResponse | null {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null }
  return response ?? null
}
