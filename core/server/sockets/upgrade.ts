/**
 * Requests that ask for a WebSocket. Each one is an exchange through the same edge as every other request. Other
 * upgrades are ignored.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { GatewayError, isGatewayError, renderError } from '@gateway/contract'
import { Canceller, createExchange, type Received, RequestBuffers, type Run } from '@gateway/flow'
import { closeCodes, SessionClosed } from '@gateway/upstream'
import { ignoreUpgrade } from '../node/ignore-upgrade.ts'
import { servedUrl } from '../routes.ts'
import type { ServerRuntime } from '../server-runtime.ts'
import { serveRequests, socketEndpoints } from './request-socket.ts'
import { refuse, SocketTransport, type Upgrading } from './socket-transport.ts'

/** Ends the sessions of a stopping gateway. */
export interface SessionEnds {
  /** Ends each session after its response in progress. */
  stop(): void
  /** Ends the remaining sessions. */
  cut(): void
}

/** A client that does not answer a close within this time is disconnected. */
const cutMs = 500

/** Handles a server's upgrades. */
export function takeUpgrades(
  server: Server | TlsServer,
  runtime: ServerRuntime,
  run: Run<Received, void>,
): SessionEnds {
  const open = new Map<Canceller, Duplex>()
  const stopping = new Canceller()
  const served = socketEndpoints(runtime.endpoints)

  async function serve({
    request,
    socket,
    head,
  }: Pick<Upgrading, 'request' | 'socket' | 'head'>): Promise<void> {
    const leaving = new Canceller()
    const buffers = new RequestBuffers(runtime.buffers)
    runtime.inFlight.begin()
    open.set(leaving, socket)
    socket.on('error', () => socket.destroy())
    const left = () => leaving.abort(new GatewayError('client_closed_request', 'The client disconnected.'))
    const drop = () => socket.destroy()
    socket.once('close', left)
    leaving.listen(drop)
    const opened = () => {
      socket.off('close', left)
      leaving.forget(drop)
    }
    request.url = servedUrl(request.url ?? '/')
    const upgrading: Upgrading = { request, socket, head, opened, stopping }
    const { clientAddress } = runtime.current.settings
    const remote = request.socket.remoteAddress ?? ''
    const clientIp = clientAddress(remote, request.headers['x-forwarded-for'])
    try {
      const found = served.get(pathOf(request.url))
      if (found !== undefined) {
        await serveRequests(runtime, run, { ...upgrading, clientIp, leaving, buffers, served: found })
        return
      }
      const transport = new SocketTransport({ ...upgrading, buffers, leaving, clientIp })
      const { current, stores } = runtime
      await run(createExchange({ stores, workspace: current.settings, transport, leaving, traceId: null }))
    } finally {
      open.delete(leaving)
      buffers.release()
      runtime.inFlight.end()
    }
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      ignoreUpgrade(server, request, { socket, head })
      return
    }
    if (runtime.isStopping) {
      const fault = new GatewayError('shutting_down', 'The gateway is shutting down.')
      refuse(socket, fault.status, {
        headers: { 'content-type': 'application/json', 'retry-after': '1' },
        body: JSON.stringify(renderError(fault)),
      })
      return
    }
    serve({ request, socket, head }).catch((error: unknown) => {
      const hasLeft = isGatewayError(error) && error.code === 'client_closed_request'
      if (hasLeft) runtime.log.debug({ err: error }, 'WebSocket client disconnected')
      else runtime.log.error({ err: error }, 'WebSocket session failed')
      socket.destroy()
    })
  })
  return {
    stop: () => stopping.abort(stopped()),
    cut() {
      for (const [leaving, socket] of open) {
        leaving.abort(stopped())
        setTimeout(() => socket.destroy(), cutMs).unref()
      }
    },
  }
}

/** The path without a trailing slash and without the query. */
const pathOf = (url: string): string => url.replace(/\?.*$/s, '').replace(/\/$/, '')

const stopped = () =>
  new SessionClosed('shutting_down', 'The gateway is shutting down.', closeCodes.goingAway)
