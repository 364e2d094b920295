/**
 * Lets a request wait at a node with `queue` until a target has room: by priority, then in turns of the keys, then in
 * order of arrival. Its credential, scope and budgets are checked again when it leaves the queue. If no target has room
 * for it after all, it waits again. Errors: 429 `capacity_exhausted` after `max_wait_ms` and when the queue is full; 408
 * `request_timeout` and `stream_total_timeout`; 499 `client_closed_request`; 503 `shutting_down`; and those of the
 * checks.
 */
import { GatewayError } from '@gateway/contract'
import {
  type Answer,
  type CallerPorts,
  type ConfigNode,
  elapsedMs,
  type Next,
  nodeFault,
  nodePath,
  type Place,
  type Ports,
  type QueueSettings,
  type Resolved,
  type RoomPorts,
  recordDecision,
  streamTotalMs,
  type Ticket,
  type Waited,
  type WithSetting,
} from '@gateway/flow'
import { blockOf, leavesOf, noRoom, seatsOf } from '@gateway/routing'
import { admitAgain } from '../metering/index.ts'

/** After this many refusals the last answer is returned, because each may have cost a call. */
const mostRefusals = 20

export async function queue(
  exchange: Resolved,
  next: Next<Resolved>,
  { setting: settings, ports }: WithSetting<QueueSettings, RoomPorts & CallerPorts & Ports<'metrics'>>,
): Promise<Answer> {
  const { node } = exchange
  const { capacity } = ports
  // An extra call of a hedge is not worth waiting for. Below another queue, room is already kept.
  if (exchange.attempt.isHedge || exchange.request.ledger.hold !== null) return next(exchange)
  let ticket: Ticket | null = null
  let leftMs = settings.maxWaitMs
  let last: Answer | null = null
  for (let refusals = 1; ; refusals += 1) {
    const place = capacity.isKnown
      ? placeOf(ports, exchange, { node, settings, wasRefused: last !== null })
      : null
    // No target is worth waiting for, so the refusal is returned.
    if (place === null && last !== null) return last
    if (place !== null) {
      ticket ??= capacity.queue.join(place)
      const startedAt = performance.now()
      const { waited, answer } = await wait(ports, exchange, { node, ticket, leftMs })
      const waitedMs = performance.now() - startedAt
      note(ports, exchange, { settings, waited, waitedMs })
      leftMs -= waitedMs
      if (answer !== null) return answer
      exchange.request.ledger.hold = waited.hold
    }
    try {
      if (ticket !== null) await admitAgain(ports, exchange)
      last = await next(exchange)
    } finally {
      exchange.request.ledger.hold?.release()
      exchange.request.ledger.hold = null
    }
    const isLast = refusals === mostRefusals || exchange.leaving.aborted || leftMs <= 0
    if (isLast || !isWithoutRoom(ports, exchange, { node, last })) return last
  }
}

/** Whether the call was refused for lack of room: by the gateway, or by a provider that says when it has room. */
function isWithoutRoom(
  ports: RoomPorts,
  exchange: Resolved,
  { node, last: { status, fault } }: { node: ConfigNode; last: Answer },
): boolean {
  if (fault !== null) return fault.code === 'capacity_exhausted'
  if (status !== 429) return false
  const nowMs = Date.now()
  const { seats } = seatsOf(ports, exchange, { node, body: exchange.input.body })
  return seats.some(({ target, need }) => target.fullUntil(need, nowMs, null) !== null)
}

interface PlaceOptions {
  node: ConfigNode
  settings: QueueSettings
  wasRefused: boolean
}

/**
 * Null if the request need not wait: it has room that no earlier request waits for, or waiting would not help.
 * @param wasRefused whether its last call was refused for lack of room
 */
function placeOf(
  ports: RoomPorts,
  exchange: Resolved,
  { node, settings: { priority }, wasRefused }: PlaceOptions,
): Place | null {
  const { capacity } = ports
  const block = blockOf(ports, exchange, { node, inherited: exchange.input.body })
  if (!wasRefused && (block === null ? capacity.queue.size === 0 : block.because !== 'full')) return null
  const { seats, breakers, isFree } = seatsOf(ports, exchange, { node, body: exchange.input.body })
  const isBehind = !isFree && seats.some(({ target }) => capacity.queue.isAwaited(target))
  if (seats.length === 0 || (block === null && !isBehind && !wasRefused)) return null
  return {
    seats,
    priority,
    caller: turnKeyOf(exchange),
    isOtherwiseFree: breakers.length === 0 ? null : () => breakers.some((breaker) => !breaker.isOpen()),
  }
}

/** Who takes turns: the key, otherwise the person, otherwise the workspace. */
function turnKeyOf({ caller: { identity } }: Resolved): string {
  const { keyId, userId, workspaceId } = identity
  return keyId ?? userId ?? workspaceId
}

interface WaitOptions {
  node: ConfigNode
  ticket: Ticket
  leftMs: number
}

/** `answer` is null for a request that may continue. */
async function wait(
  ports: RoomPorts,
  exchange: Resolved,
  { node, ticket, leftMs }: WaitOptions,
): Promise<{ waited: Waited; answer: Answer | null }> {
  const { leaving } = exchange
  const clock = nearestClock(exchange, node, leftMs)
  const leave = () => ticket.leave()
  if (leaving.aborted) throw leaving.reason
  leaving.listen(leave)
  const waited = await ticket.wait(Math.max(0, clock.ms))
  leaving.forget(leave)
  switch (waited.outcome) {
    case 'left':
      throw leaving.reason
    case 'stopping':
      throw new GatewayError('shutting_down', 'The gateway is shutting down.')
    case 'timeout':
      return { waited, answer: refuse(exchange, clock.fault() ?? withoutRoom(ports, exchange, node)) }
    case 'full':
      return { waited, answer: refuse(exchange, withoutRoom(ports, exchange, node)) }
    case 'served':
      return { waited, answer: null }
  }
}

/** The answer of the node, so that a fallback above it can continue. */
const refuse = (exchange: Resolved, fault: GatewayError): Answer =>
  nodeFault(exchange, fault, { isUnanswered: true })

function withoutRoom(ports: RoomPorts, exchange: Resolved, node: ConfigNode): GatewayError {
  const nowMs = Date.now()
  const block = blockOf(ports, exchange, { node, inherited: exchange.input.body })
  return noRoom(block?.because === 'full' ? block.until : nowMs, nowMs)
}

interface WaitClock {
  ms: number
  /** The error of the timeout that ended the wait; null for the queue's own limit. */
  fault(): GatewayError | null
}

/** The first timeout to expire: `max_wait_ms`, or one of the request's, which also run while it waits. */
function nearestClock(exchange: Resolved, node: ConfigNode, leftMs: number): WaitClock {
  const { options } = exchange
  const { body } = exchange.input
  const { ledger, startedAt } = exchange.request
  const totalMs = streamTotalMs(exchange)
  const clocks: WaitClock[] = [{ ms: leftMs, fault: () => null }]
  const requestMs = options?.requestTimeoutMs ?? requestTimeoutOf(node)
  if (requestMs !== null) {
    const message = `The request waited longer than ${requestMs} ms for room at its provider.`
    clocks.push({
      ms: requestMs - ledger.queuedMs,
      fault: () => new GatewayError('request_timeout', message),
    })
  }
  if (totalMs !== null && body.stream === true) {
    const message = `The stream took longer than ${totalMs} ms.`
    clocks.push({
      ms: totalMs - (performance.now() - startedAt),
      fault: () => new GatewayError('stream_total_timeout', message),
    })
  }
  return clocks.reduce((nearest, clock) => (clock.ms < nearest.ms ? clock : nearest))
}

/** The longest timeout of the node's leaves, which inherit the node's; null if one of them has none. */
function requestTimeoutOf(node: ConfigNode): number | null {
  const longest = Math.max(...leavesOf(node).map(({ requestTimeoutMs }) => requestTimeoutMs ?? Infinity))
  return longest === Infinity ? null : longest
}

interface NoteOptions {
  settings: QueueSettings
  waited: Waited
  waitedMs: number
}

function note(
  ports: Ports<'metrics'>,
  exchange: Resolved,
  { settings: { priority }, waited: { outcome }, waitedMs }: NoteOptions,
): void {
  exchange.request.ledger.queuedMs += waitedMs
  ports.metrics.queueWaitSeconds.observe({ outcome }, waitedMs / 1000)
  recordDecision(exchange, {
    step: 'queue',
    path: nodePath(exchange),
    at_ms: elapsedMs(exchange),
    priority,
    outcome,
    waited_ms: Math.round(waitedMs),
  })
}
