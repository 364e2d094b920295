/**
 * Selects the target of a `loadbalance` node for a request: by weight, by weight and measured latency, by the fewest
 * calls in flight; or, with `sticky`, by the request's session. It uses rendezvous hashing: a target's score for a
 * session depends only on the two. Replicas therefore agree without a store, and removing a target moves only its own
 * sessions.
 */
import { createHash } from 'node:crypto'
import { overrideBody } from '@gateway/config'
import { isGatewayError, type JsonObject } from '@gateway/contract'
import type { ConfigNode, LoadBalance, Ports, Routed } from '@gateway/flow'
import { findTarget, splitModel } from './find-target.ts'
import { type SessionKey, sessionKeyOf } from './session-key.ts'
import { pickWeighted } from './weighted.ts'

export interface Candidates {
  /** All targets of the node, with their keys. */
  all: readonly Candidate[]
  /** The targets that may be called now: not refused for this request, and with a closed breaker. */
  available: readonly Candidate[]
}

export interface Candidate {
  node: ConfigNode
  weight: number
  /** The target's key: provider, credential, host and model. Equal targets are distinguished by their order. */
  key: string
}

/** The targets of a node by the provider that they call, in order. */
export function candidatesOf(exchange: Routed, node: ConfigNode): Candidate[] {
  const seen = new Map<string, number>()
  return node.targets.map((target) => {
    const key = targetKey(exchange, target, exchange.input.body)
    const count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    return { node: target, weight: target.weight, key: count === 0 ? key : `${key}#${count}` }
  })
}

/** The target of a leaf, or the targets of all leaves of an inner node. */
function targetKey(exchange: Routed, node: ConfigNode, inherited: JsonObject): string {
  const body = node.overrideParams === null ? inherited : overrideBody(inherited, node.overrideParams)
  if (node.targets.length > 0)
    return node.targets.map((target) => targetKey(exchange, target, body)).join(' ')
  const model = splitModel(body.model)
  try {
    return `${findTarget(exchange, node, model).identity}|${model?.name ?? String(body.model ?? '')}`
  } catch (error) {
    // A target that cannot be found reports its error when it is called.
    if (!isGatewayError(error)) throw error
    return `${node.path}|${String(body.model ?? '')}`
  }
}

/** The choice of a node; null when no target is available. The session is the request's, at a sticky node. */
export function pickTarget(
  ports: Ports<'balancer'>,
  strategy: LoadBalance,
  { all, available, session }: Candidates & { session: SessionKey | null },
): Candidate | null {
  const { balancer } = ports
  const { sticky } = strategy
  if (sticky === null || session === null) return draw(ports, strategy, available)
  const place = placeOf(session, all)
  const home =
    homeIn(all, balancer.homeOf(place)) ??
    newHome(ports, strategy, { session, candidates: { all, available } }) ??
    null
  if (home !== null) balancer.keepHome(place, home.key, sticky.ttlMs)
  return available.find(({ key }) => key === home?.key) ?? rendezvous(session, available)
}

/** The probability of each target for this request; changes no state. */
export function previewShares(
  ports: Ports<'balancer'>,
  exchange: Routed,
  { strategy, all, available }: Candidates & { strategy: LoadBalance },
): Share[] {
  const { sticky } = strategy
  if (sticky === null) return sharesOf(ports, strategy, available)
  const session = sessionKeyOf(exchange, sticky.by)
  const home = homeIn(all, ports.balancer.homeOf(placeOf(session, all)))
  if (home === undefined && strategy.balance !== 'weight') return sharesOf(ports, strategy, available)
  const settled = home ?? rendezvous(session, all)
  const chosen = available.find(({ key }) => key === settled?.key) ?? rendezvous(session, available)
  return chosen === null ? [] : [{ candidate: chosen, weight: 1 }]
}

/** A target with weight 0 also loses its sessions. */
const homeIn = (all: readonly Candidate[], known: string | null): Candidate | undefined =>
  all.find(({ key, weight }) => key === known && weight > 0)

const placeOf = (session: SessionKey, all: readonly Candidate[]) =>
  `${session.hash}|${all.map(({ key }) => key).join('\n')}`

interface NewHomeOptions {
  session: SessionKey
  candidates: Candidates
}

/** Weights determine the targets of sessions; `balance` applies only to new sessions. */
const newHome = (ports: Ports<'balancer'>, strategy: LoadBalance, { session, candidates }: NewHomeOptions) =>
  strategy.balance === 'weight'
    ? rendezvous(session, candidates.all)
    : draw(ports, strategy, candidates.available)

/** The target with the highest score for the session, in proportion to the weights over many sessions. */
export function rendezvous(session: SessionKey, candidates: readonly Candidate[]): Candidate | null {
  let best: Candidate | null = null
  let highest = Number.NEGATIVE_INFINITY
  for (const candidate of candidates) {
    if (candidate.weight <= 0) continue
    const hash = createHash('sha256').update(`${session.hash}|${candidate.key}`).digest()
    // The open interval (0, 1): the logarithms of both ends are unusable.
    const share = (hash.readUIntBE(0, 6) + 1) / (2 ** 48 + 1)
    const score = candidate.weight / -Math.log(share)
    if (score > highest) {
      highest = score
      best = candidate
    }
  }
  return best
}

function draw(
  ports: Ports<'balancer'>,
  strategy: LoadBalance,
  candidates: readonly Candidate[],
): Candidate | null {
  return pickWeighted(sharesOf(ports, strategy, candidates), Math.random())?.candidate ?? null
}

interface Share {
  candidate: Candidate
  weight: number
}

/** The relative probability of each candidate. */
function sharesOf(
  ports: Ports<'balancer'>,
  strategy: LoadBalance,
  candidates: readonly Candidate[],
): Share[] {
  const loadOf = ({ key }: Candidate) => ports.balancer.loadOf(key)
  switch (strategy.balance) {
    case 'weight':
      return candidates.map((candidate) => ({ candidate, weight: candidate.weight }))
    case 'latency': {
      // Targets without an answer yet count as the fastest, so that they are tried.
      const measured = candidates.flatMap((candidate) => loadOf(candidate).firstByteMs ?? [])
      const quickest = Math.max(1, Math.min(...measured, Number.MAX_SAFE_INTEGER))
      return candidates.map((candidate) => ({
        candidate,
        weight: candidate.weight / Math.max(1, loadOf(candidate).firstByteMs ?? quickest),
      }))
    }
    case 'least_pending': {
      const weighted = candidates.filter(({ weight }) => weight > 0)
      const pressure = (candidate: Candidate) => loadOf(candidate).pending / candidate.weight
      const least = Math.min(...weighted.map(pressure))
      return weighted
        .filter((candidate) => pressure(candidate) === least)
        .map((candidate) => ({ candidate, weight: candidate.weight }))
    }
  }
}
