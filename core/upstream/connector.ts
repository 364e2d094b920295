/**
 * The only two ways to connect: a connector for undici and agents for node:http(s). Both check the host first, because
 * `net.connect` does not call its lookup function for addresses, and both resolve names through the guard.
 */
import http from 'node:http'
import https from 'node:https'
import { buildConnector } from 'undici'
import { type HostGuard, hostNotAllowed } from './host-guard.ts'
import { skipContinue } from './skip-continue.ts'

/** A connector for undici. Connecting fails with `host_not_allowed` before any packet leaves. */
export function createConnector(guard: HostGuard, connectTimeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup: guard.lookup })
  return (options, callback) => {
    const reason = guard.checkHost(options.hostname)
    if (reason === null) connect(options, skippingContinue(callback))
    else process.nextTick(callback, hostNotAllowed(reason), null)
  }
}

const skippingContinue =
  (callback: buildConnector.Callback): buildConnector.Callback =>
  (...[error, socket]) =>
    error === null ? callback(null, skipContinue(socket)) : callback(error, null)

/** The same as in Node's global agent; the timeout closes idle connections. */
const pooling = { keepAlive: true, timeout: 5000 }

export interface Agents {
  http: http.Agent
  https: https.Agent
}

/** For services of the gateway's own machine, which the guard never allows. */
export const plainAgents: Agents = { http: http.globalAgent, https: https.globalAgent }

/** Keep-alive agents for node:http and node:https. Requests fail with `host_not_allowed` before any packet leaves. */
export function createAgents(guard: HostGuard): Agents {
  return {
    http: guarded(new http.Agent(pooling), guard),
    https: guarded(new https.Agent(pooling), guard),
  }
}

function guarded<A extends http.Agent>(agent: A, guard: HostGuard): A {
  const connect: http.Agent['createConnection'] = agent.createConnection.bind(agent)
  agent.createConnection = (options: http.ClientRequestArgs, callback) => {
    // A Unix socket path would bypass every check.
    const reason = options.socketPath ? 'is a socket of this machine' : guard.checkHost(options.host ?? '')
    if (reason === null) return connect({ ...options, lookup: guard.lookup }, callback)
    const fail = callback as ((error: Error) => void) | undefined
    process.nextTick(() => fail?.(hostNotAllowed(reason)))
    return undefined
  }
  return agent
}
