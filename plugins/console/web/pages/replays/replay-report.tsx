/** The report of a replay: a summary in words, both sides in numbers, and each difference with its interval. */
import type { Schema } from '../../api-types.ts'
import { rowOf } from '../../json.ts'
import { Badge, formatNumber } from '../../parts/cells.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { Table } from '../../parts/table.tsx'
import { measures, signed } from './replay-text.ts'

type Report = Schema<'ReplayReport'>
type Side = NonNullable<Report['baseline']>
type Difference = NonNullable<Schema<'ReplayDifference'>>

interface Line extends Difference {
  id: string
  label: string
  format: (value: number) => string
  isOfPairs: boolean
  baseline: number | null
  candidate: number | null
}

/** A measure of one side; costs and tokens are averages per request. */
function measureOf(side: Side | null, name: string): number | null {
  if (side === null || side.requests === 0) return null
  const { requests, latency_ms: latency, first_token_ms: firstToken, length } = side
  const values: Readonly<Record<string, number | null | undefined>> = {
    cost: side.cost / requests,
    input_tokens: side.input_tokens / requests,
    output_tokens: side.output_tokens / requests,
    latency_ms: latency?.mean,
    latency_p50_ms: latency?.p50,
    latency_p95_ms: latency?.p95,
    first_token_ms: firstToken?.mean,
    length: length?.mean,
  }
  const rate = rowOf(side)[name]
  return values[name] ?? (typeof rate === 'number' ? rate : null)
}

function linesOf({ diff, baseline, candidate }: Report): Line[] {
  const found = rowOf(diff) as Readonly<Record<string, Difference | null>>
  return Object.entries(measures).flatMap(([id, { label, format, isOfPairs = false }]) => {
    const difference = found[id]
    if (difference === null || difference === undefined) return []
    return [
      {
        ...difference,
        id,
        label,
        format,
        isOfPairs,
        baseline: isOfPairs ? null : measureOf(baseline, id),
        candidate: isOfPairs ? null : measureOf(candidate, id),
      },
    ]
  })
}

const valueText = (value: number | null, { format }: Line) => (value === null ? '–' : format(value))

const differenceText = ({ mean, format, isOfPairs, id }: Line): string =>
  isOfPairs && id !== 'judge' ? format(mean) : signed(mean, format)

function intervalText({ ci95: [low = 0, high = 0], format, isOfPairs, id }: Line): string {
  const text = (value: number) => (isOfPairs && id !== 'judge' ? format(value) : signed(value, format))
  return `${text(low)} to ${text(high)}`
}

export function ReplayReport({ replay }: { replay: Report }) {
  const lines = linesOf(replay)
  if (lines.length === 0)
    return <p class="note">The report begins with the first pair that has been compared.</p>
  return (
    <>
      <Summary lines={lines} />
      <Table
        caption="Differences"
        rows={lines}
        columns={[
          { name: 'label', label: 'Measure', render: (one) => one.label },
          {
            name: 'baseline',
            label: 'Baseline',
            isNumber: true,
            render: (one) => valueText(one.baseline, one),
          },
          {
            name: 'candidate',
            label: 'Candidate',
            isNumber: true,
            render: (one) => valueText(one.candidate, one),
          },
          { name: 'verdict', label: 'Verdict', render: (one) => <Verdict line={one} /> },
          {
            name: 'mean',
            label: 'Difference, 95% interval',
            isNumber: true,
            render: (one) => (
              <>
                {differenceText(one)}
                <br />
                <span class="kind">{intervalText(one)}</span>
              </>
            ),
          },
          {
            name: 'n',
            label: 'Pairs',
            isNumber: true,
            render: ({ n, n_needed: needed }) =>
              needed === null || needed <= n
                ? formatNumber(n)
                : `${formatNumber(n)} of ${formatNumber(needed)}`,
          },
        ]}
      />
      <p class="hint">
        A difference is the candidate’s value minus the baseline’s, pair by pair. There is no verdict where
        the interval includes zero, or for a measure that has no better direction. Where more pairs are needed
        for a verdict, their number is beside those compared.
      </p>
      <Finishes replay={replay} />
    </>
  )
}

function Verdict({ line: { verdict } }: { line: Line }) {
  if (verdict === null) return '–'
  return <Badge tone={verdict === 'better' ? 'good' : 'bad'}>{verdict}</Badge>
}

/** Lists worse measures first. */
function Summary({ lines }: { lines: readonly Line[] }) {
  const found = (['worse', 'better'] as const).map((verdict) => ({
    verdict,
    items: lines.filter((line) => line.verdict === verdict),
  }))
  const isUncertain = found.every(({ items }) => items.length === 0)
  return (
    <section class="cause" aria-label="What changes">
      <ul>
        {isUncertain && <li>No measure is better or worse with 95% confidence so far.</li>}
        {found
          .filter(({ items }) => items.length > 0)
          .map(({ verdict, items }) => (
            <li key={verdict}>
              {verdict === 'worse' ? 'Worse: ' : 'Better: '}
              {items.map((line) => `${line.label.toLowerCase()} ${differenceText(line)}`).join('; ')}.
            </li>
          ))}
      </ul>
    </section>
  )
}

/** How often each reason ended an answer, and the judge's verdicts. */
function Finishes({ replay: { baseline, candidate, judge } }: { replay: Report }) {
  return (
    <div class="both">
      {(
        [
          ['Baseline', baseline],
          ['Candidate', candidate],
        ] as const
      ).map(
        ([title, side]) =>
          side !== null && (
            <section key={title}>
              <h3>Finish reasons of the {title.toLowerCase()}</h3>
              <Pairs values={side.finish_reasons} />
            </section>
          ),
      )}
      {judge !== null && (
        <section>
          <h3>Judge</h3>
          <p>
            The candidate won {judge.candidate_wins}, the baseline {judge.baseline_wins} of {judge.pairs}{' '}
            pairs; {judge.ties} were ties. The verdict changed with the order of the answers in{' '}
            {formatNumber(judge.disagreement_rate * 100)}% of them
            {judge.disagreement_rate > 0.3 && ', so the judge measures little'}.
          </p>
        </section>
      )}
    </div>
  )
}
