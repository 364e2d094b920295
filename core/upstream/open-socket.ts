/**
 * A WebSocket to a provider, through the host guard: names are resolved and addresses checked as for every other call, and
 * redirects are not followed. A cancellation closes it with the code of its reason. Errors: `host_not_allowed`, `upstream_unreachable`; the reason of the cancellation.
 */
import type { IncomingMessage } from 'node:http'
import { GatewayError, isGatewayError, type UpstreamRequest } from '@gateway/contract'
import type { Cancellation, Workspace } from '@gateway/flow'
import { WebSocket } from 'ws'
import { createAgents } from './connector.ts'
import type { HostGuard } from './host-guard.ts'
import { closeCodeOf } from './session-closed.ts'
import { type SocketMessages, socketMessages } from './socket-messages.ts'

interface Refused {
  status: number
  headers: Record<string, string>
  text: string
}

const handshakeMs = 10_000
const maxErrorBytes = 65_536
/** The maximum size of one event, which can contain audio. */
const maxMessageBytes = 16 * 1_048_576

/** The open connection, or the provider's answer that refused it. */
export function openSocket(
  { guard }: Pick<Workspace, 'guard'>,
  { url, headers }: Pick<UpstreamRequest, 'url' | 'headers'>,
  cancellation: Cancellation,
): Promise<SocketMessages | Refused> {
  const reason = guard.checkUrl(url)
  if (reason !== null) throw new GatewayError('host_not_allowed', `The host is not allowed: it ${reason}.`)
  const isTls = url.startsWith('https:')
  const agents = createAgents(guard as HostGuard)
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), {
      headers,
      agent: isTls ? agents.https : agents.http,
      followRedirects: false,
      handshakeTimeout: handshakeMs,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    })
    let opened: SocketMessages | null = null
    const leave = () => {
      if (opened === null) socket.terminate()
      else opened.close(closeCodeOf(cancellation.reason), '')
    }
    cancellation.listen(leave)
    socket.once('open', () => {
      opened = socketMessages(socket)
      resolve(opened)
    })
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      readError(response).then(resolve, reject).finally(leave)
    })
    socket.once('error', (error) => {
      if (cancellation.aborted) reject(cancellation.reason)
      else if (isGatewayError(error)) reject(error)
      else reject(unreachable(error))
    })
    socket.once('close', () => {
      cancellation.forget(leave)
      reject(cancellation.aborted ? cancellation.reason : unreachable(null))
    })
  })
}

const unreachable = (cause: unknown) =>
  new GatewayError('upstream_unreachable', 'The provider could not be reached, or refused the connection.', {
    cause,
  })

async function readError(response: IncomingMessage): Promise<Refused> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > maxErrorBytes) break
    chunks.push(chunk as Buffer)
  }
  const status = response.statusCode ?? 502
  if (status < 400)
    throw new GatewayError('upstream_invalid_response', 'The provider did not open a WebSocket.')
  return { status, headers: {}, text: Buffer.concat(chunks).toString('utf8') }
}
