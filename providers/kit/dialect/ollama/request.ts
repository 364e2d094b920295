/**
 * Converts a chat completion request to a native chat request. Sampling parameters become `options`, merged with the
 * caller's own `options`; `think`, `keep_alive` and `format` are forwarded. Unsupported parameters are dropped
 * (`logit_bias`, `user`, `parallel_tool_calls`, …), or refused if dropping them would change the meaning: several
 * choices, a forced call, audio, files.
 * Reference: https://docs.ollama.com/api/chat
 * Errors: `invalid_body` with the path.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import { maxTokens, stopSequences } from '../../chat/content.ts'
import { withoutLegacyFunctions } from '../../chat/legacy-functions.ts'
import { refuseWebSearch, requireOneText } from '../../chat/one-text.ts'
import { refusal } from '../../chat/refusal.ts'
import { readResponseFormat } from '../../chat/response-format.ts'
import { readToolUse } from '../../chat/tools.ts'
import { defined, objectOf, pick } from '../../chat/values.ts'
import { readMessages } from './messages.ts'
import { type ChatRequest, type Options, type Reader, type Think, type Tool, toJson } from './types.ts'

/** The request body that the API takes. */
export function ollamaRequest(given: JsonObject, context: CallContext): JsonObject {
  const reader: Reader = { provider: context.settings.provider, strict: context.strict }
  requireOneText(given, reader.provider)
  refuseWebSearch(given, reader.provider)
  const body = withoutLegacyFunctions(given, reader.provider)
  const options = { ...objectOf(body.options), ...readOptions(body) }
  const request: ChatRequest = {
    model: typeof body.model === 'string' ? body.model : '',
    messages: readMessages(body, reader),
    // It streams by default.
    stream: body.stream === true,
    ...readTools(body, reader),
    ...readFormat(body, reader),
    ...readThink(body, reader),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...defined({
      logprobs: typeof body.logprobs === 'boolean' ? body.logprobs : undefined,
      top_logprobs: typeof body.top_logprobs === 'number' ? body.top_logprobs : undefined,
    }),
  }
  return { ...toJson(request), ...pick(body, ['keep_alive']) }
}

function readOptions(body: JsonObject): Options {
  const number = (name: string) => {
    const value = body[name]
    return typeof value === 'number' ? value : undefined
  }
  return defined({
    num_predict: maxTokens(body),
    stop: stopSequences(body) ?? undefined,
    temperature: number('temperature'),
    top_p: number('top_p'),
    top_k: number('top_k'),
    min_p: number('min_p'),
    seed: number('seed'),
    frequency_penalty: number('frequency_penalty'),
    presence_penalty: number('presence_penalty'),
    repeat_penalty: number('repeat_penalty'),
  })
}

/** A call cannot be forced; for `none` no tools are sent. */
function readTools(body: JsonObject, reader: Reader): Pick<ChatRequest, 'tools'> {
  const { tools, choice } = readToolUse(body, reader.provider)
  if (choice === 'required')
    throw refusal(reader.provider, '/tool_choice', 'this provider cannot force a tool call')
  if (tools.length === 0 || choice === 'none') return {}
  return {
    tools: tools.map(
      ({ name, description, parameters }): Tool => ({
        type: 'function',
        function: { name, ...(description === '' ? {} : { description }), parameters },
      }),
    ),
  }
}

function readFormat(body: JsonObject, reader: Reader): Pick<ChatRequest, 'format'> {
  const wanted = readResponseFormat(body, reader.provider)
  if (wanted.type === 'json_object') return { format: 'json' }
  if (wanted.type === 'json_schema') return { format: wanted.schema }
  const { format } = body
  return typeof format === 'string' || isObject(format) ? { format } : {}
}

const efforts: Readonly<Record<string, Think>> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

/** `think` unchanged, or derived from `thinking` (without strict compliance) or `reasoning_effort`. */
function readThink(body: JsonObject, reader: Reader): { think?: Think } {
  const { think, thinking, reasoning_effort: effort } = body
  if (typeof think === 'boolean' || think === 'high' || think === 'medium' || think === 'low')
    return { think }
  if (!reader.strict && isObject(thinking)) return { think: thinking.type !== 'disabled' }
  if (typeof effort !== 'string' || !Object.hasOwn(efforts, effort)) return {}
  return defined({ think: efforts[effort] })
}
