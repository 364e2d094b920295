/** The steps of a request, each with a bar on a time axis. A table that is also a chart. */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'
import { formatMs } from './cells.tsx'
import { limitParamsOf } from './log-cause.ts'
import { useLimitNames } from './object-names.ts'
import { type LimitName, stepName, stepText } from './step-text.ts'

interface Step {
  name: string
  detail: string
  /** As it was logged. */
  logged?: string
  /** Milliseconds since the request came. */
  from: number
  to: number
  tone: 'plain' | 'call' | 'good' | 'bad'
}

const toneOf = (decision: Row): Step['tone'] => {
  if (decision.denied === true || decision.admitted === false) return 'bad'
  if (decision.step !== 'call') return 'plain'
  return typeof decision.status === 'number' && decision.status < 400 ? 'good' : 'bad'
}

/** A guardrail's duration is only in its result. */
function guardrailTimes(results: unknown): ReadonlyMap<string, number> {
  const { before_request_hooks: before, after_request_hooks: after } = rowOf(results)
  return new Map(
    [...rowsOf(before), ...rowsOf(after)].map((one) => [String(one.id), Number(one.execution_time ?? 0)]),
  )
}

function stepsOf(row: Row, limitName: LimitName): Step[] {
  const times = guardrailTimes(row.hook_results)
  const decisions = rowsOf(row.decisions)
  const steps = decisions.map((decision): Step => {
    const at = Number(decision.at_ms ?? 0)
    const took =
      decision.step === 'guardrail'
        ? (times.get(String(decision.id)) ?? 0)
        : Number(decision.duration_ms ?? 0)
    return {
      name: stepName(decision),
      detail: stepText(row.cost_known === false ? { ...decision, cost: null } : decision, limitName),
      logged: JSON.stringify(decision),
      // A step is noted when it ends.
      from: Math.max(0, at - took),
      to: at,
      tone: toneOf(decision),
    }
  })
  const { time_to_first_token: first, response_time: end } = row
  if (typeof first !== 'number' || typeof end !== 'number') return steps
  const stream: Step = {
    name: 'Stream',
    detail: 'first token to last byte',
    from: first,
    to: end,
    tone: 'good',
  }
  const answered = decisions.findIndex(({ step }) => step === 'end')
  return steps.toSpliced(answered < 0 ? steps.length : answered, 0, stream)
}

const colours = { plain: 's5', call: 's0', good: 's1', bad: 's3' } as const

export function Waterfall({ row }: { row: Row }) {
  const limitName = useLimitNames(limitParamsOf(row.decisions))
  const steps = stepsOf(row, limitName)
  const whole = Math.max(1, Number(row.response_time ?? 0), ...steps.map(({ to }) => to))
  if (steps.length === 0) return <p class="note">No steps were recorded.</p>
  return (
    <section class="table waterfall" tabIndex={0} aria-label="Steps">
      <table>
        <caption class="hidden">Steps of the request, with the time that each took</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Detail</th>
            <th scope="col" class="number">
              At
            </th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col" class="time">
              Timeline
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ name, detail, logged, from, to, tone }, index) => (
            <tr key={index}>
              <td>{name}</td>
              <td title={logged}>{detail}</td>
              <td class="number">{formatMs(from)}</td>
              <td class="number">{to > from ? formatMs(to - from) : '–'}</td>
              <td class="time">
                <svg
                  class="span"
                  viewBox="0 0 100 6"
                  preserveAspectRatio="none"
                  role="img"
                  aria-label={`${name}: ${formatMs(from)} to ${formatMs(to)}`}
                >
                  <rect
                    class={colours[tone]}
                    x={Math.min((from / whole) * 100, 99.4)}
                    width={Math.max(((to - from) / whole) * 100, 0.6)}
                    height={6}
                  />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
