/** The room that targets have for a request, according to the known limits of their providers. */

import { overrideBody } from '@gateway/config'
import { GatewayError, isGatewayError, type Json, type JsonObject } from '@gateway/contract'
import type {
  CircuitBreaker,
  ConfigNode,
  Need,
  Ports,
  ResolvedTarget,
  RoomPorts,
  Routed,
  Seat,
  TargetCapacity,
} from '@gateway/flow'
import { breakerOf, targetKey } from '../breaker-key.ts'
import { choicesOf } from '../choices.ts'
import { findTarget, splitModel } from '../find-target.ts'

/** Null for a caller's own credential, and for a target whose limits are not known. */
export function capacityOf(
  ports: Ports<'capacity'>,
  target: ResolvedTarget,
  model: Json | undefined,
): TargetCapacity | null {
  return ports.capacity.isKnown && target.isStored ? ports.capacity.of(targetKey(target, model)) : null
}

/** The estimate of the usage that a provider will count. */
export function needOf(
  ports: Ports<'estimateUsage'>,
  { endpoint, request: { ledger } }: Routed,
  body: JsonObject,
): Need {
  const usage = ports.estimateUsage(ledger, endpoint, body)
  const { promptTokens, completionTokens } = usage
  return { inputTokens: promptTokens, outputTokens: completionTokens }
}

/** The time when a leaf has room, in milliseconds since the epoch; null if it has room now. */
export function fullUntil(
  ports: Ports<'capacity' | 'estimateUsage'>,
  exchange: Routed,
  { target, body }: { target: ResolvedTarget; body: JsonObject },
): number | null {
  const known = capacityOf(ports, target, body.model)
  return known === null
    ? null
    : known.fullUntil(needOf(ports, exchange, body), Date.now(), exchange.request.ledger.hold)
}

/** The answer of a target that is not called, because its provider would refuse the request. */
export function noRoom(until: number, nowMs: number): GatewayError {
  const seconds = Math.max(1, Math.ceil((until - nowMs) / 1000))
  return new GatewayError(
    'capacity_exhausted',
    `The provider’s rate limit has no room for this request; try again in ${seconds} s.`,
    { headers: { 'retry-after': String(seconds) } },
  )
}

export interface Seats {
  /** The targets with known limits, each once. */
  seats: readonly Seat[]
  /** The circuit breakers of targets without known limits. */
  breakers: readonly CircuitBreaker[]
  /** Whether a target has neither a known limit nor an open circuit. */
  isFree: boolean
}

/** The targets that could serve a request: all leaves that the node could choose for it. */
export function seatsOf(
  ports: RoomPorts,
  exchange: Routed,
  { node, body }: { node: ConfigNode; body: JsonObject },
): Seats {
  const seats = new Map<TargetCapacity, Seat>()
  const breakers: CircuitBreaker[] = []
  let isFree = false
  const visit = (at: ConfigNode, inherited: JsonObject): void => {
    const own = at.overrideParams === null ? inherited : overrideBody(inherited, at.overrideParams)
    if (at.strategy !== null) {
      for (const target of choicesOf(exchange, at, { strategy: at.strategy, body: own })) visit(target, own)
      return
    }
    const found = findOrNull(exchange, at, own)
    if (found === null) return
    const breaker = breakerOf(ports, at, { target: found, model: own.model })
    const target = capacityOf(ports, found, own.model)
    if (target !== null) seats.set(target, { target, need: needOf(ports, exchange, own) })
    else if (breaker?.isOpen() === true) breakers.push(breaker)
    else isFree = true
  }
  visit(node, body)
  return { seats: [...seats.values()], breakers, isFree }
}

/** A target that cannot be found reports its error when it is called. */
function findOrNull(exchange: Routed, node: ConfigNode, body: JsonObject): ResolvedTarget | null {
  try {
    return findTarget(exchange, node, splitModel(body.model))
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return null
  }
}
