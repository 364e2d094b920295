/** Reports unauthenticated requests to services, for their audit. */

import { faultReason, type GatewayError } from '@gateway/contract'
import { type Ended, gatewayKeyOf, type Runtime } from '@gateway/flow'
import { organisationRefusing } from '../tenancy/index.ts'
import { RouteRequest } from './route-request.ts'
import type { Router, ServedRoute } from './routes.ts'
import { tellRefusal } from './service-routes.ts'
import type { Services } from './services.ts'

/** Anyone can cause refusals, so reports per minute are limited; log lines are not. */
const maxToldPerMinute = 100
const minuteMs = 60_000

export interface RefusedOptions {
  router: Pick<Router<ServedRoute>, 'find'>
  refusedToken: Services['refusedToken']
  now(): number
}

/** Returns a function to call after each request. It acts only if the edge refused the caller. */
export function createRefused(ports: Runtime, { router, refusedToken, now }: RefusedOptions) {
  let minute = 0
  let told = 0

  function isWithinBound(): boolean {
    const current = Math.floor(now() / minuteMs)
    if (current !== minute) {
      minute = current
      told = 0
    }
    told += 1
    return told <= maxToldPerMinute
  }

  async function tellToken(exchange: Ended, fault: GatewayError): Promise<void> {
    const token = gatewayKeyOf(exchange.transport.headers, exchange.request.ownHeaders) ?? ''
    const told = {
      masked: `${token.slice(0, 3)}****${token.slice(-4)}`,
      organisationId: organisationRefusing(fault),
    }
    try {
      await refusedToken(new RouteRequest(ports, exchange, { params: {}, body: null }), fault, told)
    } catch (error) {
      const reason = faultReason(error)
      ports.log.error({ trace_id: exchange.request.traceId, reason }, 'failed to record a rejected token')
    }
  }

  return async function notifyRefusedToken(exchange: Ended): Promise<void> {
    const fault = exchange.answer?.fault ?? null
    if (exchange.caller !== null || fault === null) return
    if (fault.code.startsWith('jwt_')) {
      if (isWithinBound()) await tellToken(exchange, fault)
      return
    }
    const { method, path } = exchange.transport
    if (method === 'GET' || method === 'HEAD') return
    if (fault.status !== 401 && fault.status !== 403) return
    const found = router.find(method, path)
    const service = found?.target.service ?? null
    if (found === null || service === null || !isWithinBound()) return
    await tellRefusal(ports, exchange, { route: service, params: found.params, error: fault })
  }
}
