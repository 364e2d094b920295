/**
 * The gateway's listeners: the main one and, when configured, one for administration and one for metrics. Either all of
 * them serve TLS or none does.
 */
import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Received, Run } from '@gateway/flow'
import Koa from 'koa'
import {
  answerClientError,
  answerWhatNodeRefuses,
  createApp,
  createConnectionLimit,
  createMetricsRoute,
  readHead,
  type SessionEnds,
  stopListening,
  type TlsReload,
  takeUpgrades,
} from '../server/index.ts'
import type { GatewayRuntime } from './gateway-runtime.ts'
import type { Options } from './options.ts'

type WebServer = Server | TlsServer

interface Address {
  host: string
  port: number
}

export interface Listeners {
  url: string
  /** The URL of the admin listener; null when the main listener serves everything. */
  adminUrl: string | null
  /** Stops accepting connections; resolves when the last client connection is closed. */
  stop(): Promise<void>
  /** Closes the remaining connections. */
  cut(): void
}

export interface ListenOptions {
  runtime: GatewayRuntime
  options: Options
  tls: TlsReload | null
}

/** Listens on all ports, or on none of them if one fails. */
export async function listenAll({ runtime, options, tls }: ListenOptions): Promise<Listeners> {
  const { admin_listener: admin, metrics_port: metricsPort } = runtime.current.settings.file.server
  const limit = createConnectionLimit({
    rules: () => runtime.current.settings,
    refused: () => runtime.metrics.refusedConnections.inc({}),
  })
  const opened: WebServer[] = []
  const sessions: SessionEnds[] = []
  const open = async (
    app: Koa,
    address: Address,
    { isLimited, run = null }: { isLimited: boolean; run?: Run<Received, void> | null },
  ) => {
    const server = createWebServer(tls)
    if (isLimited) limit(server)
    if (run !== null) sessions.push(takeUpgrades(server, runtime, run))
    await listen(server, app, address)
    opened.push(server)
    return urlOf(server, address.host, tls !== null)
  }
  try {
    const url = await open(createApp(runtime, admin !== null), options, {
      isLimited: true,
      run: runtime.runRequest,
    })
    const adminUrl = admin === null ? null : await open(createApp(runtime), admin, { isLimited: true })
    if (metricsPort !== null)
      await open(createMetricsApp(runtime), { host: options.host, port: metricsPort }, { isLimited: false })
    const callers = admin === null ? 1 : 2
    return { url, adminUrl, ...endingOf(opened.slice(0, callers), opened.slice(callers), sessions) }
  } catch (error) {
    for (const server of opened) server.close()
    throw error
  }
}

/** The metrics port closes last, because a draining gateway should still be scraped. */
function endingOf(
  callers: readonly WebServer[],
  metrics: readonly WebServer[],
  sessions: readonly SessionEnds[],
): Pick<Listeners, 'stop' | 'cut'> {
  return {
    stop: async () => {
      for (const each of sessions) each.stop()
      await Promise.all(callers.map(stopListening))
    },
    cut() {
      for (const each of sessions) each.cut()
      for (const server of [...callers, ...metrics]) server.closeAllConnections()
      for (const server of metrics) server.close()
    },
  }
}

const serverOptions: ServerOptions = {
  // Larger than Node's default, because a config is sent in a header.
  maxHeaderSize: 65_536,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
}

/**
 * Backlog of connections waiting to be accepted; the system's limit is often lower. Node's default of 511 refuses
 * connections during bursts.
 */
const maxWaitingConnections = 4096

/** Closes connections whose TLS handshake takes longer. */
const handshakeTimeoutMs = 10_000

function createWebServer(tls: TlsReload | null): WebServer {
  if (tls === null) return createServer(serverOptions)
  const { cert, key } = tls.certificate
  const server = createTlsServer({ ...serverOptions, cert, key, handshakeTimeout: handshakeTimeoutMs })
  tls.add(server)
  return server
}

async function listen(server: WebServer, app: Koa, { host, port }: Address): Promise<void> {
  server.on('request', app.callback())
  answerWhatNodeRefuses(server)
  server.on('clientError', answerClientError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: maxWaitingConnections }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function createMetricsApp(runtime: GatewayRuntime): Koa {
  const app = new Koa()
  app.use(readHead)
  app.use(createMetricsRoute(runtime))
  return app
}

function urlOf(server: WebServer, host: string, isTls: boolean): string {
  const { port } = server.address() as AddressInfo
  return `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
