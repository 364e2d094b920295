/**
 * Estimates the maximum cost of a service's inference request without running it: the estimate that limits reserve, and
 * the price of given tokens, at the most expensive target that the request may reach.
 */
import {
  type Fault,
  GatewayError,
  type InferencePlan,
  type InferencePlanning,
  isGatewayError,
} from '@gateway/contract'
import { noUsage, type Usage } from '@gateway/contract/dialect'
import {
  type Authenticated,
  authenticated,
  Canceller,
  type Endpoint,
  Exchange,
  type Resolved,
  type ResolvedTarget,
  type Runtime,
  routed,
} from '../../flow/index.ts'
import { estimateUsage, imageAsked, preparePrices, pricedOf, priceOf } from '../../metering/index.ts'
import { config, readBody, readHeaders } from '../../pipeline.ts'
import { RequestBuffers } from '../../shared/index.ts'
import { planLeaves } from '../dry-run/describe-leaves.ts'
import { findEndpoint } from '../dry-run/find-endpoint.ts'
import { InProcessTransport } from './transport.ts'

/** Errors: those of the caller's identity; `invalid_body` at `/endpoint` for a path that is not an inference route. */
export async function planInference(runtime: Runtime, planned: InferencePlanning): Promise<InferencePlan> {
  const { endpoint, path } = findEndpoint(runtime.endpoints, planned.path, 'POST')
  const caller = await runtime.identities.findAgain(planned.identity)
  const buffers = new RequestBuffers(runtime.buffers)
  try {
    const leaving = new Canceller()
    const transport = new InProcessTransport({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', ...planned.headers },
      body: planned.body,
      raw: null,
      clientIp: planned.clientIp,
      caller: async () => caller,
      origin: {},
      buffers,
      leaving,
      answered: () => undefined,
    })
    const settings = await runtime.workspaces.settingsOf(caller.identity.workspaceId)
    const exchange = new Exchange({
      stores: runtime.stores,
      workspace: settings,
      transport,
      leaving,
      traceId: null,
    })
    const read = await readPlanned(runtime, authenticated(exchange, caller, settings), endpoint)
    return { faults: read.faults, ...(await priced(runtime, read.resolved, planned)) }
  } finally {
    buffers.release()
  }
}

interface Read {
  /** Errors of the request and its config, returned instead of thrown. */
  faults: Fault[]
  /** Null when an error prevents its routing. */
  resolved: Resolved | null
}

async function readPlanned(ports: Runtime, exchange: Authenticated, endpoint: Endpoint): Promise<Read> {
  let resolved: Resolved | null = null
  try {
    const asked = await readBody.over(ports)(routed(await readHeaders.over(ports)(exchange), endpoint))
    resolved = await config.over(ports)(asked)
    const { scopes } = exchange.identity
    if (!scopes.has('*') && !endpoint.scopes.some((scope) => scopes.has(scope))) {
      const message = `The API key lacks the scope ${endpoint.scopes.join(' or ')}.`
      throw new GatewayError('missing_scope', message)
    }
    return { faults: [], resolved }
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    const { code, param, message, details } = error
    const own = [{ code, param: param ?? '', message }]
    return { faults: details === null || details.length === 0 ? own : [...details], resolved }
  }
}

type Prices = Omit<InferencePlan, 'faults'>

async function priced(
  ports: Runtime,
  exchange: Resolved | null,
  { tokens }: InferencePlanning,
): Promise<Prices> {
  const plan: Prices = { inputTokens: 0, maxOutputTokens: 0, cents: 0, centsOfTokens: 0, unpriced: [] }
  if (exchange === null) return { ...plan, cents: null, centsOfTokens: null }
  const nowMs = Date.now()
  const unpriced = new Set<string>()
  for (const leaf of await planLeaves(ports, exchange, nowMs, () => undefined)) {
    const { target } = leaf.inspected
    // A target that is full or whose circuit is open may be called when the request runs.
    if (target === null || !leaf.isReachable) continue
    const { body, ledger } = leaf.exchange
    const usage = estimateUsage(ledger, exchange.endpoint, body)
    plan.inputTokens = Math.max(plan.inputTokens, usage.promptTokens)
    plan.maxOutputTokens = Math.max(plan.maxOutputTokens, usage.completionTokens)
    const taken = { ...noUsage, promptTokens: tokens?.input ?? 0, completionTokens: tokens?.output ?? 0 }
    const [cents, centsOfTokens] = await Promise.all([
      centsOf(leaf.exchange, target, usage),
      centsOf(leaf.exchange, target, taken),
    ])
    plan.cents = larger(plan.cents, cents)
    plan.centsOfTokens = larger(plan.centsOfTokens, centsOfTokens)
    if (cents === null) unpriced.add(`${target.adapter.name}/${String(body.model ?? '')}`)
  }
  return { ...plan, unpriced: [...unpriced] }
}

const larger = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other)

/** Null for an unknown price. */
async function centsOf(exchange: Resolved, target: ResolvedTarget, usage: Usage): Promise<number | null> {
  const endpoint = exchange.endpoint
  const { body } = exchange
  const source = pricedOf(exchange, { target, body, answeredModel: null })
  await preparePrices(source)
  // At least one token, so that an unknown price is noticed.
  const counted = { ...usage, promptTokens: Math.max(1, usage.promptTokens) }
  const cost = priceOf(source, counted, { nowMs: Date.now(), ...imageAsked({ endpoint, body }) })
  return cost.isKnown && endpoint.isEstimatePriced ? cost.cents : null
}
