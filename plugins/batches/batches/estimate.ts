/** The dry run of a batch: errors, tokens and cost (`dry_run`). */
import type { BatchNeed, EndpointTarget, Fault, JsonObject, ServiceContext } from '@gateway/contract'
import {
  chatCompleteRequest,
  completeRequest,
  createResponseRequest,
  embedRequest,
  imageGenerateRequest,
  moderationRequest,
} from '@gateway/contract/wire'
import { type BatchLine, checkLines } from '../runner/check-lines.ts'
import { createNeeds } from './need.ts'

const schemas = {
  '/v1/chat/completions': chatCompleteRequest,
  '/v1/completions': completeRequest,
  '/v1/embeddings': embedRequest,
  '/v1/responses': createResponseRequest,
  '/v1/moderations': moderationRequest,
  '/v1/images/generations': imageGenerateRequest,
} as const

const maxRefusals = 100
/** The usual fraction of the price for batches. */
const batchShare = 0.5

export interface EstimateOptions {
  context: ServiceContext<'priceOf' | 'validator'>
  source: AsyncIterable<Uint8Array>
  endpoint: string
  maxLineBytes: number
  model: string | null
  targets: readonly EndpointTarget[]
  /** Whether a provider runs the lines as its own batch. */
  isBatchPriced: boolean
}

export async function estimateBatch(options: EstimateOptions): Promise<JsonObject> {
  const { context, source, endpoint, maxLineBytes, model } = options
  const schema = schemas[endpoint as keyof typeof schemas]
  const check = context.validator(schema, 'invalid_body')
  const refusals: { line: number; code: string; message: string }[] = []
  const needs = createNeeds(model)
  let refused = 0
  const each = ({ number, body: written }: BatchLine) => {
    const body = model === null || written.model !== undefined ? written : { ...written, model }
    const fault = firstFault(body, check)
    if (fault !== null) {
      refused += 1
      if (refusals.length < maxRefusals) refusals.push({ line: number, ...fault })
      return
    }
    needs.add(body)
  }
  const { lines, faults } = await checkLines(source, { endpoint, maxLineBytes, each })
  const sums = needs.all()
  return {
    object: 'batch.dry_run',
    valid: faults.length === 0 && refused === 0,
    errors: faults.length === 0 ? null : { object: 'list', data: faults },
    lines,
    estimate: {
      input_tokens: sums.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      max_output_tokens: sums.reduce((sum, { maxOutputTokens }) => sum + maxOutputTokens, 0),
      cost: await costOf(options, sums),
    },
    refusals,
  }
}

type Check = (value: unknown) => readonly Fault[]

function firstFault(body: JsonObject, check: Check): { code: string; message: string } | null {
  if (body.stream === true)
    return { code: 'invalid_body', message: '/stream: the lines of a batch cannot stream' }
  const [fault] = check(body)
  return fault === undefined ? null : { code: fault.code, message: fault.message }
}

/** US cents. Null if a price is unknown. */
async function costOf(
  { context: { priceOf }, targets, isBatchPriced }: EstimateOptions,
  needs: readonly BatchNeed[],
): Promise<number | null> {
  const provider = targets[0]?.provider
  if (provider === undefined) return null
  let cents = 0
  for (const { model, inputTokens, maxOutputTokens } of needs) {
    const price = await priceOf(provider, model.replace(/^@[^/]+\//, ''))
    const [request, response] = [price?.pay_as_you_go.request_token, price?.pay_as_you_go.response_token]
    if (typeof request?.price !== 'number' || typeof response?.price !== 'number') return null
    cents += inputTokens * request.price + maxOutputTokens * response.price
  }
  return Math.round(cents * (isBatchPriced ? batchShare : 1) * 1e6) / 1e6
}
