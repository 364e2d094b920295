/** What a batch would do, without doing it: faults, tokens and cost (`dry_run`). */
import {
  type EndpointTarget,
  type Fault,
  isObject,
  type Json,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import {
  chatCompleteRequest,
  completeRequest,
  createResponseRequest,
  embedRequest,
  imageGenerateRequest,
  moderationRequest,
} from '@gateway/contract/wire'
import { type BatchLine, checkLines } from '../runner/check-lines.ts'

const schemas = {
  '/v1/chat/completions': chatCompleteRequest,
  '/v1/completions': completeRequest,
  '/v1/embeddings': embedRequest,
  '/v1/responses': createResponseRequest,
  '/v1/moderations': moderationRequest,
  '/v1/images/generations': imageGenerateRequest,
} as const

const maxRefusals = 100

export interface EstimateOptions {
  context: Pick<ServiceContext, 'validator' | 'priceOf'>
  source: AsyncIterable<Uint8Array>
  endpoint: string
  maxLineBytes: number
  model: string | null
  targets: readonly EndpointTarget[]
}

export async function estimateBatch(options: EstimateOptions): Promise<JsonObject> {
  const { context, source, endpoint, maxLineBytes, model, targets } = options
  const schema = schemas[endpoint as keyof typeof schemas]
  const check = context.validator(schema, 'invalid_body')
  const refusals: { line: number; code: string; message: string }[] = []
  const perModel = new Map<string, { input: number; output: number }>()
  let refused = 0
  const each = ({ number, body: written }: BatchLine) => {
    const body = model === null || written.model !== undefined ? written : { ...written, model }
    const fault = firstFault(body, check)
    if (fault !== null) {
      refused += 1
      if (refusals.length < maxRefusals) refusals.push({ line: number, ...fault })
      return
    }
    const name = typeof body.model === 'string' ? body.model.replace(/^@[^/]+\//, '') : ''
    const sums = perModel.get(name) ?? { input: 0, output: 0 }
    sums.input += Math.ceil(textBytes(body) / 4)
    sums.output += outputTokens(body)
    perModel.set(name, sums)
  }
  const { lines, faults } = await checkLines(source, { endpoint, maxLineBytes, each })
  const sums = [...perModel.values()]
  return {
    object: 'batch.dry_run',
    valid: faults.length === 0 && refused === 0,
    errors: faults.length === 0 ? null : { object: 'list', data: faults },
    lines,
    estimate: {
      input_tokens: sums.reduce((sum, { input }) => sum + input, 0),
      max_output_tokens: sums.reduce((sum, { output }) => sum + output, 0),
      cost: await costOf(context, targets, perModel),
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

/** Of the conversation, the prompt or the input; not of settings. */
function textBytes({ messages, prompt, input, instructions }: JsonObject): number {
  return [messages, prompt, input, instructions].reduce<number>(
    (sum, value) => sum + bytesOf(value ?? null),
    0,
  )
}

function bytesOf(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + bytesOf(one), 0)
  if (!isObject(value)) return 0
  return Object.entries(value).reduce(
    (sum, [name, one]) => (name === 'role' ? sum : sum + bytesOf(one ?? null)),
    0,
  )
}

function outputTokens({ max_completion_tokens: most, max_tokens: older, n }: JsonObject): number {
  const tokens = typeof most === 'number' ? most : typeof older === 'number' ? older : 0
  return tokens * (typeof n === 'number' ? n : 1)
}

/** US cents; null where a price is not known. */
async function costOf(
  { priceOf }: Pick<ServiceContext, 'priceOf'>,
  targets: readonly EndpointTarget[],
  perModel: ReadonlyMap<string, { input: number; output: number }>,
): Promise<number | null> {
  const provider = targets[0]?.provider
  if (provider === undefined) return null
  let cents = 0
  for (const [model, { input, output }] of perModel) {
    const price = await priceOf(provider, model)
    const [request, response] = [price?.pay_as_you_go.request_token, price?.pay_as_you_go.response_token]
    if (typeof request?.price !== 'number' || typeof response?.price !== 'number') return null
    cents += input * request.price + output * response.price
  }
  return Math.round(cents * 1e6) / 1e6
}
