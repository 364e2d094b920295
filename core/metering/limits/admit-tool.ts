/**
 * Tool policies: reserved for each tool call, in one step over all that apply. Token limits count a quarter of the
 * bytes of the arguments, and later of the result. Errors: 429 `rate_limit_exceeded`; 503 when the counters are
 * unavailable.
 */
import type { ToolCall } from '@gateway/contract'
import { type Exchange, required } from '../../flow/exchange.ts'
import type { PolicySubject } from '../../flow/limits.ts'
import { applicableLimits } from './applicable-limits.ts'
import { noteReached, noteRefused, noteSeen, noteUnsettled } from './limit-events.ts'
import { policySubjectOf } from './policy-subject.ts'
import { type Held, reserve } from './reserve.ts'

const bytesPerToken = 4
const tokensOf = (bytes: number) => Math.ceil(bytes / bytesPerToken)

/** Returns a function that settles it; call it once, whatever the outcome. */
export async function admitTool(
  exchange: Exchange,
  call: ToolCall,
): Promise<(resultBytes: number) => Promise<void>> {
  const set = exchange.settings.limits.of(required(exchange.identity, 'identity'), exchange.keyDocument)
  if (set === null || set.toolPolicies.length === 0) return nothingToSettle
  const now = Date.now()
  const applied = applicableLimits([], set.toolPolicies, () => subjectOf(exchange, call), now)
  if (applied.length === 0) return nothingToSettle
  const asked = applied.every(({ limit }) => limit.measure === 'requests')
    ? 0
    : tokensOf(Buffer.byteLength(JSON.stringify(call.arguments)))
  const held = await reserve(exchange.runtime.store.counters, applied, { tokens: asked, usd: 0 }, now)
  exchange.ledger.requestRates = held.rates
  noteReached(exchange, held.reached)
  noteSeen(exchange, applied)
  if (held.refusal !== null) {
    noteRefused(exchange, held.refusal)
    throw held.refusal
  }
  const { settle } = held
  return settle === null ? nothingToSettle : (bytes) => settleWith(exchange, settle, asked + tokensOf(bytes))
}

const nothingToSettle = async () => undefined

const subjectOf = (exchange: Exchange, { endpoint, server, tool }: ToolCall): PolicySubject => ({
  ...policySubjectOf(exchange, null),
  endpoint,
  tool: { server, name: tool },
})

/** A failure of the counters is only logged, because the answer already exists. */
async function settleWith(
  exchange: Exchange,
  settle: NonNullable<Held['settle']>,
  tokens: number,
): Promise<void> {
  try {
    const { rates, reached } = await settle({ tokens, usd: 0 }, Date.now())
    exchange.ledger.requestRates = rates
    noteReached(exchange, reached)
  } catch (error) {
    noteUnsettled(exchange, error)
  }
}
