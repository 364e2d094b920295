/**
 * One evaluation by Patronus. The vendor is asked not to store the result (`capture: none`) and not to
 * explain it, because an explanation quotes the text.
 * Reference: https://docs.patronus.ai/docs/api_ref/evaluations/evaluate_v1_evaluate_post
 * Not confirmed: the values of `status` other than `success`. Any answer that says whether the text passed is accepted.
 * Errors: Error for a status that is not 2xx, for an evaluation that failed, and for one that is unreadable.
 */
import { type CheckIo, isObject, type Json, type JsonObject } from '@gateway/contract'
import { keyOf, objectsIn, postForObject, urlOf } from '@gateway/plugin-kit'
import type { Parameters } from './parameters.ts'

const vendorUrl = 'https://api.patronus.ai'

/** The evaluator. */
export interface Evaluator {
  evaluator: string
  /** The criteria of a judge. */
  criteria?: string
}

/** The evaluated texts. */
interface Task {
  output: string
  /** Only for evaluators that compare the two. */
  input?: string
}

interface Evaluation {
  isPassed: boolean
  /** From 0 to 1, where 1 is best. Null: no score. */
  score: number | null
  /** The findings: offsets in code points of the output. */
  positions: [start: number, end: number][]
}

export type Evaluate = (by: Evaluator, task: Task, io: CheckIo) => Promise<Evaluation>

/** Creates the function that calls the vendor. Throws Error if the key is missing. */
export function createEvaluate({ apiKey, timeout }: Parameters, settings: Readonly<JsonObject>): Evaluate {
  const key = keyOf('patronus', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
  const base = urlOf('baseUrl', {}, { settings, vendorUrl })
  return async (by, { output, input }, io) => {
    const answer = await postForObject(io, 'Patronus', {
      url: `${base}/v1/evaluate`,
      headers: { 'x-api-key': key },
      json: {
        evaluators: [{ ...by, explain_strategy: 'never' }],
        task_input: input,
        task_output: output,
        capture: 'none',
      },
      timeoutMs: timeout,
    })
    return evaluationOf(answer)
  }
}

function evaluationOf({ results }: JsonObject): Evaluation {
  const result = objectsIn(results)[0] ?? {}
  if ((result.error_message ?? null) !== null) throw new Error('the evaluator of Patronus failed')
  const evaluation = isObject(result.evaluation_result) ? result.evaluation_result : {}
  const { pass, score_raw, additional_info } = evaluation
  if (typeof pass !== 'boolean') throw new Error('the answer of Patronus has no result')
  return {
    isPassed: pass,
    score: typeof score_raw === 'number' ? score_raw : null,
    positions: positionsOf(isObject(additional_info) ? additional_info.positions : undefined),
  }
}

function positionsOf(positions: Json | undefined): [number, number][] {
  return (Array.isArray(positions) ? positions : []).flatMap((position): [number, number][] => {
    const [start, end] = Array.isArray(position) ? position : []
    return typeof start === 'number' && typeof end === 'number' && start < end ? [[start, end]] : []
  })
}
