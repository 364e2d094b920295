/**
 * Text completions with InvokeModel, for models that continue a prompt: Meta's Llama, Mistral's first models and
 * DeepSeek R1. The caller writes the model's own prompt format.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-meta.html,
 * …/model-parameters-mistral-text-completion.html, …/model-parameters-deepseek.html
 * Errors: `unsupported_endpoint` for other models; `invalid_body` for parameters that would change the text and are
 * not supported; `upstream_invalid_response`.
 */
import {
  type CallContext,
  type ChoiceEndpoint,
  type Dialect,
  GatewayError,
  type HttpEndpoint,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import {
  awsError,
  countOf,
  objectOf,
  parseEvent,
  parseObject,
  refusal,
  stopSequences,
} from '@gateway/provider-kit'
import { modelOf, modelPath } from './address.ts'
import { type CompletionFamily, completionFamilies, type Piece } from './complete-families.ts'
import { invokeFraming, withExceptions } from './invoke-stream.ts'

/** The member in which `decode` puts the token counts of the answer's headers. */
const countsKey = 'amazon-bedrock-counts'
/** The member of the last event that contains the token counts. */
const metricsKey = 'amazon-bedrock-invocationMetrics'

/** Completions, by the model's family. */
export const complete: ChoiceEndpoint = {
  kind: 'choice',
  choose(body, _settings, baseModel) {
    const model = baseModel ?? modelOf(body)
    const family = completionFamilies.find((row) => row.models.test(model))
    if (family !== undefined) return endpointOf(family)
    const message = `bedrock: the model ${model.slice(0, 100)} does not support text completions.`
    throw new GatewayError('unsupported_endpoint', message, { param: '/model' })
  },
}

function endpointOf(family: CompletionFamily): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (body) => modelPath(modelOf(body), body.stream === true ? 'invoke-with-response-stream' : 'invoke'),
    headers: ({ stream }) => ({
      accept: stream === true ? 'application/vnd.amazon.eventstream' : 'application/json',
    }),
    dialect: dialectOf(family),
  }
}

function dialectOf(family: CompletionFamily): Dialect {
  return {
    name: `bedrock-${family.name}`,
    request: (body, context) => {
      const { provider } = context.settings
      checkBody(body, provider)
      const stop = stopSequences(body) ?? []
      if (!family.hasStop && stop.length > 0) {
        throw refusal(provider, '/stop', 'this model does not support stop sequences')
      }
      return family.body(promptOf(body, provider), stop, body)
    },
    decode: (bytes, headers) => ({ ...parseObject(bytes.toString('utf8')), [countsKey]: countsOf(headers) }),
    answer: (body, context) => {
      const piece = family.piece(body)
      if (piece === null) {
        throw new GatewayError('upstream_invalid_response', 'The provider answered without a text.')
      }
      const usage = usageOf({ ...objectOf(body[countsKey]), ...family.counts?.(body) })
      return { ...headOf(context), choices: [choiceOf(piece)], usage }
    },
    stream: (context) => withExceptions(translatorOf(family, context)),
    framing: invokeFraming,
    error: awsError,
  }
}

/** These models support neither several choices nor a suffix nor `echo`. */
function checkBody(body: JsonObject, provider: string): void {
  if (typeof body.n === 'number' && body.n > 1) {
    throw refusal(provider, '/n', 'this provider generates only one choice')
  }
  if (typeof body.suffix === 'string' && body.suffix !== '') {
    throw refusal(provider, '/suffix', 'this provider does not support a suffix')
  }
  if (body.echo === true) throw refusal(provider, '/echo', 'this provider cannot echo the prompt')
}

function promptOf({ prompt }: JsonObject, provider: string): string {
  const only = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt
  if (typeof only === 'string') return only
  throw refusal(provider, '/prompt', 'must be a single string')
}

function countsOf(headers: Readonly<Record<string, string>>): JsonObject {
  return {
    inputTokenCount: Number(headers['x-amzn-bedrock-input-token-count'] ?? 0),
    outputTokenCount: Number(headers['x-amzn-bedrock-output-token-count'] ?? 0),
  }
}

function usageOf(counts: JsonObject): JsonObject {
  const prompt = countOf(counts.inputTokenCount)
  const completion = countOf(counts.outputTokenCount)
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function headOf(context: CallContext): JsonObject {
  return {
    id: context.id('cmpl-'),
    object: 'text_completion',
    created: Math.floor(context.now() / 1000),
    model: context.request.model,
  }
}

function choiceOf({ text, stopReason }: Piece): JsonObject {
  return { index: 0, text, logprobs: null, finish_reason: stopReason === null ? null : finishOf(stopReason) }
}

const finishOf = (reason: Json): string => (reason === 'length' ? 'length' : 'stop')

function translatorOf(family: CompletionFamily, context: CallContext): StreamTranslator {
  const head = headOf(context)
  let counts: JsonObject = {}
  let isStopped = false
  const usage = (): JsonObject[] =>
    context.includeUsage ? [{ ...head, choices: [], usage: usageOf(counts) }] : []
  return {
    event({ data }) {
      const event = parseEvent(data)
      const piece = family.piece(event)
      const metrics = objectOf(event[metricsKey])
      counts = { ...counts, ...metrics }
      if (piece !== null && piece.stopReason !== null) isStopped = true
      const isLast = isStopped && Object.keys(metrics).length > 0
      const chunks = piece === null ? [] : [{ ...head, choices: [choiceOf(piece)] }]
      return { chunks: isLast ? [...chunks, ...usage()] : chunks, done: isLast }
    },
    end: () => ({ chunks: isStopped ? usage() : [], done: isStopped }),
  }
}
