/** Runs requests of a replay through the pipeline as its creator, in one trace, with their own `source` in the log. */
import { outgoingOf, ownEntry, type RecordedAnswer, runRecorded } from '@gateway/batches/engine'
import type { JsonObject, LogEntry, Outgoing, ServiceContext } from '@gateway/contract'
import type { SealedConfigs } from '../entities.ts'
import type { ReplayDocument } from '../store.ts'
import { type PlannedCost, plannedCost } from './planned-cost.ts'

export interface Asked {
  path: string
  body: JsonObject
  headers: Readonly<Record<string, string>>
  /** A unique id within the replay: `12`, `12-judge-1`. */
  span: string
}

export interface CallResult {
  answer: RecordedAnswer
  /** Null if the caller was refused before the request was logged. */
  entry: LogEntry | null
  outgoing: Outgoing[]
  /** The cost of the request and of calls that it made, in US cents. */
  cents: number
}

export interface Calls {
  configs: SealedConfigs
  run(asked: Asked): Promise<CallResult>
  plan(asked: Asked, tokens?: { input: number; output: number }): Promise<PlannedCost>
}

/** The additional authenticated data (AAD) of a replay's sealed configs. */
export const recordOf = (id: string): string => `replay/${id}`

export function createCalls(
  context: ServiceContext<'planInference' | 'runInference' | 'sealer'>,
  { id, data }: ReplayDocument,
): Calls {
  const { caller } = data
  if (caller === null) throw new Error('A shadow replay runs no requests.')
  const common = {
    identity: { ...caller, scopes: new Set(caller.scopes) },
    clientIp: data.client_ip,
  }
  const headersOf = ({ headers, span }: Asked) => ({
    ...headers,
    'x-gateway-trace-id': id,
    'x-gateway-span-id': `${id}-${span}`,
  })
  return {
    configs: JSON.parse(context.sealer.open(data.sealed, recordOf(id))) as SealedConfigs,
    async run(asked) {
      const answer = await runRecorded(context, {
        ...common,
        path: asked.path,
        body: asked.body,
        headers: headersOf(asked),
        // A request that has started runs to its end, even if the replay is stopped.
        signal: new AbortController().signal,
        origin: { source: 'replay' },
      })
      return {
        answer,
        entry: ownEntry(answer) ?? null,
        outgoing: outgoingOf(`${id}/${asked.span}`, answer),
        cents: answer.entries.reduce((sum, { fields }) => sum + (fields.cost ?? 0), 0),
      }
    },
    plan: async (asked, tokens) =>
      plannedCost(
        await context.planInference({
          ...common,
          path: asked.path,
          body: asked.body,
          headers: headersOf(asked),
          tokens,
        }),
      ),
  }
}

/** Refusals of the replay's key, which say nothing about the candidate. */
const refusals: ReadonlySet<string> = new Set([
  ...['invalid_api_key', 'expired_api_key', 'session_expired', 'missing_scope', 'forbidden'],
  ...['usage_limit_exceeded', 'rate_limit_exceeded', 'capacity_exhausted', 'overloaded'],
  ...['store_unavailable', 'shutting_down'],
])

/** The code of such a refusal; null if a target or a guardrail answered. */
export function refusalOf({ answer }: Pick<CallResult, 'answer'>): string | null {
  if (answer.status < 400) return null
  const code = /"code":\s*"([a-z_]+)"/.exec(answer.text)?.[1] ?? ''
  const isOfProvider = /"provider":\s*"/.test(answer.text)
  return refusals.has(code) && !isOfProvider ? code : null
}
