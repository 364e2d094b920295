/** Explains the outcome of a request in sentences, the most important first: its error, then how the gateway acted. */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'
import { formatCents, formatMs, textOf } from './cells.tsx'
import { limitText } from './limit-text.ts'

const faultWords: Readonly<Record<string, string>> = {
  connection: 'could not be reached',
  timeout: 'did not answer in time',
  first_token_timeout: 'sent no first token in time',
  stream_idle_timeout: 'stopped sending in the middle of a stream',
  invalid_response: 'sent an answer that is not valid',
}

const reasons: Readonly<Record<string, string>> = {
  400: 'bad request',
  401: 'not authenticated',
  403: 'not allowed',
  404: 'not found',
  408: 'timeout',
  412: 'usage limit exhausted or precondition failed',
  429: 'too many requests',
  446: 'denied by a guardrail',
  500: 'internal error',
  502: 'bad gateway',
  503: 'service unavailable',
  504: 'gateway timeout',
  529: 'overloaded',
}

/** The error of an attempt in words; empty if it succeeded. */
export function attemptError({ status, fault }: Row): string {
  if (typeof fault === 'string') return faultWords[fault] ?? fault
  if (typeof status !== 'number') return 'no answer'
  if (status < 400) return ''
  const reason = reasons[status]
  return `returned ${status}${reason === undefined ? '' : ` (${reason})`}`
}

const targetOf = ({ provider, model }: Row): string =>
  [provider, model].filter((one) => typeof one === 'string').join('/') || 'the target'

const phases = [
  ['before_request_hooks', 'the request'],
  ['after_request_hooks', 'the answer'],
] as const

function guardrailSentences(results: unknown): string[] {
  return phases.flatMap(([name, what]) =>
    rowsOf(rowOf(results)[name])
      .filter(({ verdict }) => verdict === false)
      .map(({ id, deny, checks }) => {
        const failed = rowsOf(checks).flatMap((check) => (check.verdict === false ? [textOf(check.id)] : []))
        const why = failed.length === 0 ? '' : `: ${failed.join(', ')}`
        return deny === true
          ? `The guardrail ${textOf(id)} denied ${what}${why}.`
          : `The guardrail ${textOf(id)} failed on ${what} without denying it${why}.`
      }),
  )
}

/** The error that the caller received. */
function errorSentence(row: Row): string[] {
  const { response_status_code: status } = row
  if (typeof status === 'number' && status < 400)
    return typeof row.error_code === 'string' ? [`The stream ended with an error: ${row.error_code}.`] : []
  const error = rowOf(rowOf(rowOf(row.response).body).error)
  const code = error.code ?? error.type
  const message = typeof error.message === 'string' ? error.message : 'No message was logged.'
  return [`${textOf(status)}${typeof code === 'string' ? ` ${code}` : ''}: ${message}`]
}

/** Explains how one attempt led to the next. */
function attemptSentences(attempts: readonly Row[]): string[] {
  return attempts.slice(1).flatMap((attempt, index) => {
    const before = attempts[index] ?? {}
    const because = `${targetOf(before)} ${attemptError(before) || 'was too slow'}`
    if (attempt.reason === 'fallback') return [`Fell back to ${targetOf(attempt)}, because ${because}.`]
    if (attempt.reason === 'hedge')
      return [`Called ${targetOf(attempt)} too, because ${targetOf(before)} was slow.`]
    return attempt.reason === 'retry' ? [`Retried ${targetOf(attempt)}, because ${because}.`] : []
  })
}

/** The time that the gateway waited before its retries, in milliseconds. */
export const waitsOf = (decisions: unknown): number =>
  rowsOf(decisions).reduce(
    (sum, { step, wait_ms: wait }) => sum + (step === 'retry' && typeof wait === 'number' ? wait : 0),
    0,
  )

/** The limits that applied to a request, by their `param`. */
export const limitParamsOf = (decisions: unknown): string[] =>
  rowsOf(decisions).flatMap(({ step, param }) => (step === 'limit' ? [textOf(param)] : []))

function limitSentences(decisions: unknown, limitName: (param: string) => string): string[] {
  return rowsOf(decisions).flatMap(({ step, admitted, param }) =>
    step === 'limit' && admitted === false ? [`The ${limitName(textOf(param))} refused the request.`] : [],
  )
}

const isHit = (status: unknown) => status === 'HIT' || status === 'SEMANTIC HIT'

/** The call of a request that was made elsewhere and only logged here, without attempts and steps. */
const elsewhereOf = (row: Row): Row | undefined =>
  typeof row.ai_org === 'string' && rowsOf(row.decisions).length === 0
    ? { provider: row.provider ?? row.ai_org, model: row.ai_model, status: row.response_status_code }
    : undefined

function endSentence(row: Row, attempts: readonly Row[]): string[] {
  const { response_status_code: status, cost, cost_known: isKnown, cache_status: cache } = row
  const price = isKnown === false ? 'at an unknown cost' : `for ${formatCents(cost)}`
  if (isHit(cache)) return [`Answered from the cache ${price}.`]
  const last = attempts.at(-1) ?? elsewhereOf(row)
  if (last === undefined) return ['No provider was called.']
  if (typeof status !== 'number' || status >= 400) {
    const error = attemptError(last)
    return error === '' ? [] : [`The last attempt: ${targetOf(last)} ${error}.`]
  }
  return [`Answered by ${targetOf(last)} in ${formatMs(row.response_time)} ${price}.`]
}

/**
 * @param row a log entry with its attempts and decisions
 * @param limitName the name of a limit by its `param`; by default with the id in it
 */
export function causeOf(row: Row, limitName: (param: string) => string = limitText): string[] {
  const attempts = rowsOf(row.attempts)
  const waited = waitsOf(row.decisions)
  return [
    ...errorSentence(row),
    ...guardrailSentences(row.hook_results),
    ...limitSentences(row.decisions, limitName),
    ...attemptSentences(attempts),
    ...(waited > 0 ? [`Waited ${formatMs(waited)} before retries.`] : []),
    ...endSentence(row, attempts),
  ]
}
