/** The steps of a request in words: what the gateway decided, and why. */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'
import { cacheText } from './cache-text.ts'
import { formatCents, formatMs, formatNumber, textOf } from './cells.tsx'
import { limitText } from './limit-text.ts'
import { attemptError } from './log-cause.ts'
import { targetText } from './target-text.ts'

/** The name of a limit by its `param`; by default with the id in it. */
export type LimitName = (param: string) => string

const names: Readonly<Record<string, string>> = {
  config: 'Config',
  condition: 'Condition',
  pick: 'Target picked',
  limit: 'Limit',
  guardrail: 'Guardrail',
  cache: 'Cache',
  translate: 'Translated',
  call: 'Call',
  retry: 'Retry',
  fallback: 'Fallback',
  breaker: 'Circuit breaker',
  capacity: 'Capacity',
  queue: 'Queue',
  end: 'Answered',
}

export const stepName = ({ step }: Row): string => names[String(step)] ?? textOf(step)

const plain = (value: unknown) => textOf(value).replaceAll('_', ' ')

/** Why another attempt follows: a status, or what went wrong. */
const becauseOf = (because: unknown): string =>
  (typeof because === 'number'
    ? attemptError({ status: because })
    : plain(attemptError({ fault: because }))) || 'it failed'

const reasons: Readonly<Record<string, string>> = {
  breaker_open: 'circuit open',
  full: 'at its limit',
  refused: 'refused',
  weight_zero: 'weight 0',
}

const textOfTarget = (path: unknown) => targetText(textOf(path))

/** Whether a path is below the whole config. */
const isInside = (path: unknown) => textOf(path).includes('.targets[')

const leftOutText = (targets: unknown): string =>
  rowsOf(targets)
    .map(({ path, because }) => `${textOfTarget(path)} (${reasons[textOf(because)] ?? plain(because)})`)
    .join(', ')

const sources: Readonly<Record<string, string>> = {
  header: 'from the request’s header',
  model: 'named as the model',
  key: 'the default of the key',
  workspace: 'the default of the workspace',
}

function configText({ source, id, version, rollout }: Row): string {
  const { from, to, percent } = rowOf(rollout)
  return [
    typeof id === 'string' ? `${id}${version === null ? '' : `, version ${textOf(version)}`}` : '',
    sources[textOf(source)] ?? (source === 'none' ? 'no config' : plain(source)),
    to === undefined
      ? ''
      : `rollout from version ${textOf(from)} to ${textOf(to)} for ${textOf(percent)}% of the sessions`,
  ]
    .filter(Boolean)
    .join(', ')
}

function pickText({ chosen, probability, sticky, by, left_out: leftOut }: Row): string {
  const left = leftOutText(leftOut)
  return [
    textOfTarget(chosen),
    sticky === true ? `where its session goes (by ${by === 'auto' ? 'its beginning' : textOf(by)})` : '',
    typeof probability === 'number' && probability < 1
      ? `probability ${formatNumber(probability * 100)}%`
      : '',
    left === '' ? '' : `not ${left}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function callText(call: Row): string {
  const { provider, model, status, aborted, hedge } = call
  const target = [provider, model].filter((one) => typeof one === 'string').join('/')
  const error = attemptError(call)
  const outcome = aborted === true ? 'was cancelled' : error || `answered with ${textOf(status)}`
  return `${target} ${outcome}${hedge === true ? ', called because another target was slow' : ''}`
}

function guardrailText({ id, phase, verdict, denied }: Row): string {
  const outcome =
    verdict === true ? 'passed' : denied === true ? 'failed and was denied' : 'failed without being denied'
  return `${textOf(id)}: ${phase === 'after' ? 'the answer' : 'the request'} ${outcome}`
}

function cacheStepText({ status, similarity, refused }: Row): string {
  const nearer = rowsOf(refused).length
  return [
    cacheText(status),
    typeof similarity === 'number' ? `${formatNumber(similarity * 100)}% similar` : '',
    nearer === 0
      ? ''
      : `${nearer} similar ${nearer === 1 ? 'question differs' : 'questions differ'} in a detail`,
  ]
    .filter(Boolean)
    .join(', ')
}

const circuit: Readonly<Record<string, string>> = { closed: 'closed', open: 'open', half_open: 'half open' }

const outcomes: Readonly<Record<string, string>> = {
  served: 'served',
  timeout: 'not served in time',
  left: 'the caller left',
  full: 'the queue was full',
  stopping: 'the gateway stopped',
}

/** By step. */
const details: Readonly<Record<string, (decision: Row, limitName: LimitName) => string>> = {
  config: configText,
  limit: ({ param, admitted, remaining }, limitName) =>
    `${limitName(textOf(param))}: ${admitted === false ? 'refused' : 'allowed'}${
      typeof remaining === 'number' ? `, ${formatNumber(remaining)} left` : ''
    }`,
  guardrail: guardrailText,
  cache: cacheStepText,
  condition: ({ index, then }) =>
    typeof index === 'number'
      ? `condition ${index + 1} holds: ${textOfTarget(then)}`
      : `no condition holds: ${textOfTarget(then)}, the default`,
  pick: pickText,
  translate: ({ left_out: leftOut }) => `left out: ${textOf(leftOut)}`,
  call: callText,
  retry: ({ attempt, wait_ms: wait, because }) =>
    `number ${textOf(attempt)}, after ${formatMs(wait)}, because it ${becauseOf(because)}`,
  fallback: ({ path, to, because }) =>
    `to ${textOfTarget(to)}, because ${targetOf(path)} ${becauseOf(because)}`,
  breaker: ({ from, to }) =>
    from === to
      ? `${circuit[textOf(to)] ?? plain(to)}: not called`
      : `${circuit[textOf(from)] ?? plain(from)} → ${circuit[textOf(to)] ?? plain(to)}`,
  capacity: ({ left_out: leftOut, opens_in_ms: opens }) =>
    `${Array.isArray(leftOut) ? leftOutText(leftOut) : `${textOfTarget(leftOut)} (at its limit)`}: room in ${formatMs(opens)}`,
  queue: ({ outcome, waited_ms: waited, priority }) =>
    `${outcomes[textOf(outcome)] ?? plain(outcome)} after ${formatMs(waited)}, priority ${textOf(priority)}`,
  end: ({ status, path, cost }) =>
    [
      textOf(status),
      isInside(path) ? `by ${textOfTarget(path)}` : '',
      typeof cost === 'number' ? `for ${formatCents(cost)}` : '',
    ]
      .filter(Boolean)
      .join(' '),
}

const targetOf = (path: unknown) => (isInside(path) ? textOfTarget(path) : 'the target')

/** Of a step that this version does not know: its members. */
const unknownText = (decision: Row): string =>
  Object.entries(decision)
    .filter(([name, value]) => !['step', 'path', 'at_ms'].includes(name) && value !== null)
    .map(([name, value]) => `${plain(name)}: ${textOf(value)}`)
    .join(', ')

/** Steps that name their target themselves. */
const namesTarget: ReadonlySet<unknown> = new Set(['condition', 'pick', 'fallback', 'capacity', 'end'])

/** @param limitName by default, a limit is named by its id */
export function stepText(decision: Row, limitName: LimitName = limitText): string {
  const { step, path } = decision
  const text = (details[String(step)] ?? unknownText)(decision, limitName)
  return isInside(path) && !namesTarget.has(step) ? `${textOfTarget(path)} · ${text}` : text
}
