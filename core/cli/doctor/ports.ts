/** Checks whether the gateway can listen on its ports, or already does. */
import { createServer } from 'node:net'
import type { ConfigFile } from '@gateway/config-file'
import { isHealthy } from '../probe.ts'
import { type Finding, failed, ok } from './finding.ts'

/** A busy gateway must not be mistaken for another program. */
const timeoutMs = 15_000

interface Place {
  check: string
  host: string
  port: number
  /** The place where the port is set. */
  settings: string
}

export function checkPorts(
  { host, port }: { host: string; port: number },
  { server }: Pick<ConfigFile, 'server'>,
): Promise<Finding[]> {
  const { admin_listener: admin, metrics_port: metricsPort, tls } = server
  const places: Place[] = [
    { check: 'port', host, port, settings: '--port, GATEWAY_PORT or server.port' },
    ...(admin === null ? [] : [{ check: 'admin port', ...admin, settings: 'server.admin_listener' }]),
    ...(metricsPort === null
      ? []
      : [{ check: 'metrics port', host, port: metricsPort, settings: 'server.metrics_port' }]),
  ]
  return Promise.all(places.map((place) => checkPort(place, tls !== null)))
}

async function checkPort({ check, host, port, settings }: Place, hasTls: boolean): Promise<Finding> {
  if (port === 0) return ok(check, 'any free port')
  const place = `${host}, port ${port}`
  const code = await listenError(host, port)
  if (code === null) return ok(check, `${place} is free`)
  if (code === 'EADDRINUSE') {
    const path = check === 'metrics port' ? '/metrics' : '/healthz'
    if (await isHealthy({ host, port, hasTls }, path, timeoutMs))
      return ok(check, `a gateway answers on ${place}`)
    const remedy = `Stop the other program, or choose another port: ${settings}.`
    return failed(check, `another program uses ${place}`, remedy)
  }
  return failed(check, `cannot listen on ${place}: ${code}`, `Choose another address or port: ${settings}.`)
}

/** The error code of listening on a port; null if that works. */
function listenError(host: string, port: number): Promise<string | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
