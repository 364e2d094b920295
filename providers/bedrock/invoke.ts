/**
 * Calls one model in its own format (InvokeModel), for endpoints that need several calls.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 * Errors: `UpstreamFault` with the provider's status; `upstream_unreachable`, `upstream_invalid_response`.
 */
import { GatewayError, type JsonObject, type ProcedureContext, type UpstreamRequest } from '@gateway/contract'
import { answerFault, awsError, parseObject } from '@gateway/provider-kit'
import { modelPath } from './address.ts'

/** An upper bound for gateways without a shorter timeout per attempt. */
const timeoutMs = 600_000
const maxBytes = 128 * 1_048_576
/** The number of concurrent calls of one request. */
const maxAtOnce = 8

export interface InvokeAnswer {
  body: JsonObject
  /** Input tokens, as the provider counts them. */
  inputTokens: number
}

/** Calls a model with a body in its own format. */
async function invokeModel(
  model: string,
  body: JsonObject,
  context: ProcedureContext,
): Promise<InvokeAnswer> {
  const url = `${context.baseUrl ?? ''}${modelPath(model, 'invoke')}`
  const answer = await callJson({ method: 'POST', url, body: JSON.stringify(body) }, context)
  const counted = Number(answer.headers['x-amzn-bedrock-input-token-count'] ?? 0)
  return { body: answer.body, inputTokens: Number.isFinite(counted) ? counted : 0 }
}

/** Calls a model once per body, with a few calls in parallel; the answers are in the order of the bodies. */
export async function invokeEach(
  model: string,
  bodies: readonly JsonObject[],
  context: ProcedureContext,
): Promise<InvokeAnswer[]> {
  const answers: InvokeAnswer[] = []
  let next = 0
  let isFailed = false
  const work = async () => {
    for (let index = next++; index < bodies.length && !isFailed; index = next++) {
      answers[index] = await invokeModel(model, bodies[index] ?? {}, context)
    }
  }
  const workers = Array.from({ length: Math.min(maxAtOnce, bodies.length) }, work)
  await Promise.all(
    workers.map((worker) =>
      worker.catch((error: unknown) => {
        isFailed = true
        throw error
      }),
    ),
  )
  return answers
}

interface JsonAnswer {
  body: JsonObject
  headers: Readonly<Record<string, string>>
}

/** One authorized call with JSON as request and answer. */
export async function callJson(
  call: Pick<UpstreamRequest, 'url' | 'body'> & { method: 'GET' | 'POST' },
  context: ProcedureContext,
): Promise<JsonAnswer> {
  const { method } = call
  const type = { 'content-type': 'application/json' }
  const headers = { accept: 'application/json', ...(call.body === null ? {} : type) }
  const { url, body, headers: signed } = await context.authorize({ ...call, headers })
  const answer = await context.fetch({
    method,
    url,
    headers: signed,
    body: body ?? undefined,
    timeoutMs,
    maxBytes,
  })
  const read = parseObject(answer.bytes.toString('utf8'))
  if (answer.status >= 400) throw answerFault(answer, read ?? {}, awsError)
  if (answer.status !== 200 || read === null) {
    throw new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.')
  }
  return { body: read, headers: answer.headers }
}
