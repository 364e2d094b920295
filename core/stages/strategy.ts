/**
 * Selects the targets of an inner node and runs the node list for them (single, loadbalance, fallback, conditional). It
 * ends its node's list. Targets with an open breaker, and those whose providers have no room, are skipped while another
 * target can answer. If no target has room, the answer is 429 with the time until the first of them has. Errors: 400
 * `no_condition_matched`, 429 `capacity_exhausted`.
 */

import { GatewayError } from '@gateway/contract'
import {
  type Answer,
  type ConfigNode,
  elapsedMs,
  type LoadBalance,
  nodeFault,
  nodePath,
  type Ports,
  type Resolved,
  type RoomPorts,
  type RoutingPorts,
  type Run,
  recordDecision,
  required,
  type Strategy,
  type TargetLoad,
} from '@gateway/flow'
import {
  blockOf,
  type Chosen,
  chooseTarget,
  decidingRefusal,
  isBlocked,
  isRefusal,
  isSkipped,
  matchCondition,
  mayHedge,
  movesOn,
  noRoom,
  otherTarget,
  recordFirstByte,
  runHedged,
} from '@gateway/routing'
import { tapStream } from '@gateway/streaming'
import { becauseOf } from '../observability/index.ts'

/** @param list the list of the node, which also runs for the target */
export function strategyOver(
  ports: RoutingPorts & Ports<'log' | 'metrics'>,
  list: Run<Resolved>,
): Run<Resolved> {
  /** Runs the node list for a target. */
  async function run(exchange: Resolved, target: ConfigNode): Promise<Answer> {
    return list(exchange.fork(target))
  }

  /** The same, with a second target in parallel if the node hedges and the first one is slow. */
  async function runWithSpare(
    exchange: Resolved,
    first: ConfigNode,
    spare: () => ConfigNode | null,
  ): Promise<{ answer: Answer; target: ConfigNode; isHedged: boolean }> {
    const { node } = exchange
    if (node.hedge === null || !mayHedge(exchange)) {
      return { answer: await run(exchange, first), target: first, isHedged: false }
    }
    const { winner, answer, isHedged } = await runHedged(ports, exchange, {
      node,
      calls: {
        hedge: node.hedge,
        first: () => exchange.fork(first),
        second: () => {
          const other = spare()
          return other === null ? null : exchange.fork(other)
        },
        run: async (fork) => list(fork),
      },
    })
    return { answer, target: winner.node, isHedged }
  }

  async function fallback(
    exchange: Resolved,
    targets: readonly ConfigNode[],
    codes: readonly number[] | null,
  ) {
    let last: Answer | null = null
    const isGood = (answer: Answer, target: ConfigNode) => !movesOn(answer, target.onStatusCodes ?? codes)
    for (let index = 0; index < targets.length; index += 1) {
      let reached = index
      const spare = () => {
        for (reached += 1; reached < targets.length; reached += 1) {
          const next = targetAt(targets, reached)
          if (!isBlocked(ports, exchange, { node: next, inherited: exchange.input.body })) return next
        }
        return null
      }
      const first = targetAt(targets, index)
      const { answer, target, isHedged } = await runWithSpare(exchange, first, spare)
      if (isHedged) index = reached
      // A skipped target gave no answer: the previous answer stays the last.
      if (last === null || !isSkipped(answer)) last = answer
      if (exchange.leaving.aborted || isGood(answer, target)) return answer
      const to = targets[index + 1]?.path
      if (to !== undefined)
        recordDecision(exchange, {
          step: 'fallback',
          path: nodePath(exchange),
          at_ms: elapsedMs(exchange),
          to,
          because: becauseOf(answer),
        })
    }
    return required(last, 'answer')
  }

  /** Skips a target that is refused for this request; if all are refused, one refusal is the answer. */
  async function loadbalance(exchange: Resolved, node: ConfigNode, strategy: LoadBalance): Promise<Answer> {
    const refused = new Set<ConfigNode>()
    const refusals = new Map<ConfigNode, Answer>()
    for (;;) {
      const { target, load, session } = chooseTarget(ports, exchange, { node, strategy, refused })
      recordPick(ports, exchange, { node, mode: strategy.mode, target, session, refused })
      const left = new Set([...refused, target])
      const spare = () => {
        const other = otherTarget(ports, exchange, { node, strategy, left })
        if (other !== null) left.add(other)
        return other
      }
      const ask = async () => (await runWithSpare(exchange, target, spare)).answer
      const answer = await (load === null ? ask() : measured(load, ask))
      if (!isRefusal(answer) || exchange.leaving.aborted) return answer
      refused.add(target)
      refusals.set(target, answer)
      const weighted = node.targets.filter(({ weight }) => weight > 0)
      if (weighted.every((other) => refused.has(other)))
        return decidingRefusal(weighted.flatMap((other) => refusals.get(other) ?? [])) ?? answer
    }
  }

  async function pick(exchange: Resolved, node: ConfigNode, strategy: Strategy): Promise<Answer> {
    switch (strategy.mode) {
      case 'single':
        return run(exchange, targetAt(node.targets, 0))
      case 'loadbalance':
        return loadbalance(exchange, node, strategy)
      case 'fallback':
        return fallback(exchange, node.targets, strategy.onStatusCodes)
      case 'conditional':
        return run(exchange, choose(exchange, strategy))
    }
  }

  return async function strategy(exchange: Resolved): Promise<Answer> {
    const { node } = exchange
    if (node.strategy === null) {
      const fault = new GatewayError('no_condition_matched', 'The strategy of this config has no target.', {
        param: `${node.param}/strategy`,
      })
      return nodeFault(exchange, fault)
    }
    const full = ports.capacity.isKnown ? answerWithoutRoom(ports, exchange, node) : null
    return full ?? pick(exchange, node, node.strategy)
  }
}

/** The refusal if no target can be called and at least one of them lacks only room; otherwise null. */
function answerWithoutRoom(ports: RoomPorts, exchange: Resolved, node: ConfigNode): Answer | null {
  const block = blockOf(ports, exchange, { node, inherited: exchange.input.body })
  if (block?.because !== 'full') return null
  const nowMs = Date.now()
  const left_out = node.targets.flatMap((target) => {
    const own = blockOf(ports, exchange, { node: target, inherited: exchange.input.body })
    return own === null ? [] : { path: target.path, because: own.because }
  })
  recordDecision(exchange, {
    step: 'capacity',
    path: nodePath(exchange),
    at_ms: elapsedMs(exchange),
    left_out,
    opens_in_ms: block.until - nowMs,
  })
  return nodeFault(exchange, noRoom(block.until, nowMs), { isUnanswered: true })
}

const targetAt = (targets: readonly ConfigNode[], index: number): ConfigNode =>
  required(targets[index] ?? null, 'target')

/** The target of a condition. */
function choose(exchange: Resolved, strategy: Strategy & { mode: 'conditional' }): ConfigNode {
  const { index, target } = matchCondition(exchange, strategy, exchange.input.body)
  recordDecision(exchange, {
    step: 'condition',
    path: nodePath(exchange),
    at_ms: elapsedMs(exchange),
    index,
    then: target.path,
  })
  return target
}

interface Picked extends Pick<Chosen, 'target' | 'session'> {
  mode: LoadBalance['mode']
  refused: ReadonlySet<ConfigNode>
}

function recordPick(
  ports: RoomPorts,
  exchange: Resolved,
  { node, mode, target, session, refused }: Picked & { node: ConfigNode },
): void {
  const left_out = node.targets.flatMap((other) => {
    if (other === target) return []
    if (refused.has(other)) return { path: other.path, because: 'refused' }
    if (other.weight <= 0) return { path: other.path, because: 'weight_zero' }
    const block = blockOf(ports, exchange, { node: other, inherited: exchange.input.body })
    return block === null ? [] : { path: other.path, because: block.because }
  })
  const gone = new Set(left_out.map(({ path }) => path))
  const sum = node.targets.reduce((total, { path, weight }) => total + (gone.has(path) ? 0 : weight), 0)
  recordDecision(exchange, {
    step: 'pick',
    path: nodePath(exchange),
    at_ms: elapsedMs(exchange),
    mode,
    chosen: target.path,
    ...(session === null
      ? { probability: sum > 0 ? Math.round((target.weight / sum) * 10_000) / 10_000 : null }
      : { sticky: true, by: session.kind }),
    left_out,
  })
}

/** Runs a call, counts it as pending until its answer has ended, and records the time to its first byte. */
async function measured(load: TargetLoad, call: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now()
  load.pending += 1
  let isPending = true
  const end = () => {
    if (isPending) load.pending -= 1
    isPending = false
  }
  try {
    const answer = await call()
    if (answer.status < 500 && answer.fault === null) recordFirstByte(load, performance.now() - startedAt)
    if (answer.stream === null) {
      end()
      return answer
    }
    return { ...answer, stream: tapStream(answer.stream, { closed: end }) }
  } catch (error) {
    end()
    throw error
  }
}
