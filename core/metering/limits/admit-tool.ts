/**
 * Limits of calls that a service relays: each counts as a request of the `rate_limits` of its key and workspace. Tool
 * calls are also limited by tool policies, reserved in one step over all that apply; their token limits count a
 * quarter of the bytes of the arguments, and later of the result. Errors: 429 `rate_limit_exceeded`; 503 when the counters are
 * unavailable.
 */
import type { ToolCall } from '@gateway/contract'
import type { Admitted, CompiledLimit, LimitPorts, LimitSet, PolicySubject, ReportPorts } from '@gateway/flow'
import { type ApplicableLimit, applicableLimits } from './applicable-limits.ts'
import { noteReached, noteRefused, noteSeen, noteUnsettled } from './limit-events.ts'
import { policySubjectOf } from './policy-subject.ts'
import { type Held, reserve } from './reserve.ts'

const bytesPerToken = 4
const tokensOf = (bytes: number) => Math.ceil(bytes / bytesPerToken)

/** Returns a function that settles it; call it once, for any outcome. */
export async function admitTool(
  ports: LimitPorts,
  exchange: Admitted,
  call: ToolCall,
): Promise<(resultBytes: number) => Promise<void>> {
  const set = limitsOf(exchange)
  if (set === null) return nothingToSettle
  const now = Date.now()
  const applied = applicableLimits(requestRates(set), set.toolPolicies, {
    subject: () => subjectOf(exchange, call),
    nowMs: now,
  })
  if (applied.length === 0) return nothingToSettle
  const asked = applied.every(({ limit }) => limit.measure === 'requests')
    ? 0
    : tokensOf(Buffer.byteLength(JSON.stringify(call.arguments)))
  const { settle } = await admit(ports, exchange, { applied, tokens: asked, nowMs: now })
  return settle === null
    ? nothingToSettle
    : (bytes) => settleWith(ports, exchange, { settle, tokens: asked + tokensOf(bytes) })
}

/** Counts a call that is not a tool call. */
export async function admitCall(ports: LimitPorts, exchange: Admitted): Promise<void> {
  const set = limitsOf(exchange)
  const rates = set === null ? [] : requestRates(set)
  if (rates.length === 0) return
  const nowMs = Date.now()
  const applied = applicableLimits(rates, [], { subject: () => policySubjectOf(exchange, null), nowMs })
  await admit(ports, exchange, { applied, tokens: 0, nowMs })
}

const limitsOf = ({ caller, workspace }: Admitted): LimitSet | null => workspace.limits.of(caller)

/** Usage limits and token rates count what models use. */
const requestRates = ({ fixed }: LimitSet): CompiledLimit[] =>
  fixed.filter(({ kind, measure }) => kind === 'rate' && measure === 'requests')

interface AdmitOptions {
  applied: readonly ApplicableLimit[]
  tokens: number
  nowMs: number
}

async function admit(
  ports: LimitPorts,
  exchange: Admitted,
  { applied, tokens, nowMs }: AdmitOptions,
): Promise<Held> {
  const held = await reserve(exchange.request.stores.counters, applied, { need: { tokens, usd: 0 }, nowMs })
  exchange.request.ledger.requestRates = held.rates
  noteReached(ports, exchange, held.reached)
  noteSeen(ports, exchange, applied)
  if (held.refusal === null) return held
  noteRefused(ports, held.refusal)
  throw held.refusal
}

const nothingToSettle = async () => undefined

const subjectOf = (exchange: Admitted, { endpoint, server, tool }: ToolCall): PolicySubject => ({
  ...policySubjectOf(exchange, null),
  endpoint,
  tool: { server, name: tool },
})

/** A failure of the counters is only logged, because the answer already exists. */
async function settleWith(
  ports: ReportPorts,
  exchange: Admitted,
  { settle, tokens }: { settle: NonNullable<Held['settle']>; tokens: number },
): Promise<void> {
  try {
    const { rates, reached } = await settle({ tokens, usd: 0 }, Date.now())
    exchange.request.ledger.requestRates = rates
    noteReached(ports, exchange, reached)
  } catch (error) {
    noteUnsettled(ports, exchange, error)
  }
}
