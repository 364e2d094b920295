/**
 * Requests that ask for a WebSocket: each is an exchange through the same edge as every other request. Other upgrades
 * are ignored.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { GatewayError, renderError } from '@gateway/contract'
import { Canceller } from '../../flow/cancellation.ts'
import { Exchange } from '../../flow/exchange.ts'
import type { Run } from '../../flow/stage.ts'
import { RequestBuffers } from '../../shared/buffer-budget.ts'
import { ignoreUpgrade } from '../node/ignore-upgrade.ts'
import type { ServerRuntime } from '../server-runtime.ts'
import { isResponsesPath, serveResponses } from './responses-socket.ts'
import { refuse, SocketTransport, type Upgrading } from './socket-transport.ts'

/** Handles a server's upgrades; returns a function that ends all sessions. */
export function takeUpgrades(server: Server | TlsServer, runtime: ServerRuntime, run: Run): () => void {
  const open = new Set<Canceller>()

  async function serve(upgrading: Upgrading): Promise<void> {
    const { request, socket } = upgrading
    const leaving = new Canceller()
    const buffers = new RequestBuffers(runtime.buffers)
    const done = runtime.inFlight.begin()
    open.add(leaving)
    socket.on('error', () => socket.destroy())
    socket.once('close', () =>
      leaving.abort(new GatewayError('client_closed_request', 'The client disconnected.')),
    )
    leaving.listen(() => socket.destroy())
    const { clientAddress } = runtime.current.settings
    const remote = request.socket.remoteAddress ?? ''
    const clientIp = clientAddress(remote, request.headers['x-forwarded-for'])
    try {
      if (isResponsesPath(request.url ?? '')) {
        await serveResponses(runtime, run, { ...upgrading, clientIp, leaving })
        return
      }
      const transport = new SocketTransport({ ...upgrading, buffers, leaving, clientIp })
      await run(new Exchange(runtime, transport, leaving, null))
    } finally {
      open.delete(leaving)
      buffers.release()
      done()
    }
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      ignoreUpgrade(server, request, socket, head)
      return
    }
    if (runtime.isStopping) {
      const fault = new GatewayError('shutting_down', 'The gateway is shutting down.')
      refuse(
        socket,
        fault.status,
        { 'content-type': 'application/json', 'retry-after': '1' },
        JSON.stringify(renderError(fault)),
      )
      return
    }
    serve({ request, socket, head }).catch((error: unknown) => {
      runtime.log.error({ err: error }, 'WebSocket session failed')
      socket.destroy()
    })
  })
  return () => {
    for (const leaving of open)
      leaving.abort(new GatewayError('shutting_down', 'The gateway is shutting down.'))
  }
}
