/** Shared texts of the replay pages: names, progress, measures and problems. */
import type { Item } from '../../api-types.ts'
import { formatCents, formatMinute, formatMs, formatNumber } from '../../parts/cells.tsx'
import { configText } from '../../parts/config-text.ts'

type Replay = Item<'/v1/replays'>

/** The polling interval while a replay runs. */
export const refreshMs = 3_000

export const isRunning = ({ status }: Pick<Replay, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const doneOf = ({ completed, failed, skipped }: Replay['counts']): number =>
  completed + failed + skipped

export const nameOf = ({ name, type, created_at, config, shadow }: Replay): string => {
  if (name !== null) return name
  if (type === 'shadow') return `Shadow of ${shadow?.config ?? 'an inline config'}`
  return `${configText(config)}, ${formatMinute(created_at)}`
}

const percent = (value: number): string => `${formatNumber(value * 100)}%`

/** Formats a value, or a difference of values. */
type Format = (value: number) => string

interface Measure {
  label: string
  format: Format
  /** Set if the value is a share of pairs, which has no baseline. */
  isOfPairs?: true
}

const costs: Format = (value) => formatCents(value)
const counts: Format = (value) => formatNumber(value)

/** Measures in the order of the report, the most important first. */
export const measures: Readonly<Record<string, Measure>> = {
  cost: { label: 'Cost of a request', format: costs },
  error_rate: { label: 'Errors', format: percent },
  denial_rate: { label: 'Denied', format: percent },
  json_valid_rate: { label: 'Valid JSON', format: percent },
  refusal_rate: { label: 'Refusals', format: percent },
  truncation_rate: { label: 'Cut off by the token limit', format: percent },
  latency_ms: { label: 'Latency, mean', format: formatMs },
  latency_p50_ms: { label: 'Latency, median', format: formatMs },
  latency_p95_ms: { label: 'Latency, 95th percentile', format: formatMs },
  first_token_ms: { label: 'First token', format: formatMs },
  input_tokens: { label: 'Input tokens', format: counts },
  output_tokens: { label: 'Output tokens', format: counts },
  length: { label: 'Length in characters', format: counts },
  judge: { label: 'Judge, from −1 to 1', format: counts, isOfPairs: true },
  same_tool_rate: { label: 'Same tool', format: percent, isOfPairs: true },
  same_arguments_rate: { label: 'Same arguments', format: percent, isOfPairs: true },
  same_finish_rate: { label: 'Same finish reason', format: percent, isOfPairs: true },
  similarity: { label: 'Similarity', format: counts, isOfPairs: true },
}

/** Formats the difference of two sides with its sign. */
export const signed = (value: number, format: Format): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${format(Math.abs(value))}`

export const problemText: Readonly<Record<Item<'/v1/replays/{id}/pairs'>['problems'][number], string>> = {
  error: 'error',
  denied: 'denied',
  invalid_json: 'invalid JSON',
  other_tool: 'other tool',
  other_arguments: 'other arguments',
  refusal: 'refusal',
  judged_worse: 'judged worse',
}
