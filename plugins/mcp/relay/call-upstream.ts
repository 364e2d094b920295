/**
 * One call of an upstream for a visit, with failures as MCP errors: −32603 in HTTP 502 if the upstream is down or its
 * answer is unreadable, −32001 in HTTP 408 if it times out.
 */
import { isObject, type JsonObject, type TracedCall } from '@gateway/contract'
import type { RpcRequest } from '../messages.ts'
import { secretsOf, withoutSecrets } from '../upstream/secrets.ts'
import type { CallIo, Session } from '../upstream/session.ts'
import { SessionLost, type UpstreamTarget, UpstreamUnauthorized } from '../upstream/target.ts'
import { asRpcFault, faultName, timedOut } from './faults.ts'
import type { Visit } from './visit.ts'

interface CallUpstreamOptions {
  request: RpcRequest
  headers?: Readonly<Record<string, string>>
}

/** Yields notifications as they arrive, and the answer last. */
export async function* callUpstream(
  visit: Visit,
  target: UpstreamTarget,
  { request, headers = {} }: CallUpstreamOptions,
): AsyncGenerator<JsonObject> {
  const limit = createLimit(visit)
  try {
    for await (const message of attempts(visit, target, { request, io: { signal: limit.signal, headers } })) {
      limit.touch()
      yield message
    }
  } catch (error) {
    throw asRpcFault(error, limit.signal)
  } finally {
    limit.end()
  }
}

/** Reopens a lost session and renews a rejected token: each once, and only before any data was received. */
async function* attempts(
  visit: Visit,
  target: UpstreamTarget,
  { request, io }: { request: RpcRequest; io: CallIo },
): AsyncGenerator<JsonObject> {
  const { pool } = visit.runtime
  let current = target
  let canReopen = true
  let canRenew = true
  for (;;) {
    let session: Session | null = null
    let hasBegun = false
    const trace = visit.request.dataPath.trace(tracedCall(visit, request))
    try {
      session = await pool.acquire(current, io)
      const headers = { ...io.headers, ...current.callHeaders, ...trace.headers }
      for await (const message of session.call(request, { ...io, headers })) {
        hasBegun = true
        if (message.method === undefined) trace.end(faultOf(message))
        yield withoutSecrets(message, current.secrets)
      }
      return
    } catch (error) {
      trace.end(faultName(error, io.signal))
      if (hasBegun) throw error
      if (error instanceof SessionLost && canReopen && session !== null) {
        canReopen = false
        pool.drop(current, session)
        continue
      }
      if (error instanceof UpstreamUnauthorized && canRenew && current.renew !== null) {
        canRenew = false
        if (session !== null) pool.drop(current, session)
        const token = await current.renew()
        const authorization = `Bearer ${token}`
        const secrets = [...current.secrets, ...secretsOf({ authorization })]
        current = { ...current, headers: { ...current.headers, authorization }, secrets }
        continue
      }
      throw error
    }
  }
}

function tracedCall({ place }: Visit, { method, params }: RpcRequest): TracedCall {
  const tool = method === 'tools/call' && typeof params.name === 'string' ? params.name : null
  return { endpoint: 'mcp', server: place.server.slug ?? '', method, tool }
}

/** The error of an answer, by the conventions of traces. */
function faultOf({ error, result }: JsonObject): string | null {
  if (isObject(error)) return typeof error.code === 'number' ? String(error.code) : 'error'
  return isObject(result) && result.isError === true ? 'tool_error' : null
}

/** `timeout_ms` of the integration, from message to message. */
function createLimit({ controller, place, runtime }: Visit) {
  const { timeout_ms: written } = place.integration.data.configurations
  const timeoutMs = typeof written === 'number' ? written : 60_000
  const { running } = runtime
  running.add(controller)
  const timer = setTimeout(() => controller.abort(timedOut), timeoutMs)
  return {
    signal: controller.signal,
    touch: () => void timer.refresh(),
    end() {
      clearTimeout(timer)
      running.delete(controller)
    },
  }
}
