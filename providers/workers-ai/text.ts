/**
 * Text completions: the models' `prompt`. Reference: https://developers.cloudflare.com/workers-ai/models/ (each
 * model's own page)
 * Errors: `invalid_body` for several prompts, tokens, `suffix` and `echo`; those of the envelope.
 */
import {
  type CallContext,
  type Dialect,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import { finishMembers, objectOf, objectsOf, parseEvent, refusal, textOf } from '@gateway/provider-kit'
import { responseText } from './chat-answer.ts'
import { samplingOf } from './chat-request.ts'
import { finishOf, usageOf } from './finish.ts'
import { resultOf, throwFailure, workersError } from './result.ts'

export const textDialect: Dialect = {
  name: 'workers-ai-text',
  request: textRequest,
  answer: textAnswer,
  stream: textStream,
  error: workersError,
}

function textRequest(body: JsonObject, { settings: { provider } }: CallContext): JsonObject {
  for (const name of ['suffix', 'echo']) {
    if (body[name] !== undefined && body[name] !== null && body[name] !== false && body[name] !== '') {
      throw refusal(provider, `/${name}`, 'is not supported')
    }
  }
  const { suffix: _suffix, echo: _echo, ...rest } = samplingOf(body)
  return { ...rest, prompt: promptOf(body, provider) }
}

function promptOf({ prompt }: JsonObject, provider: string): string {
  const given = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt
  if (typeof given === 'string') return given
  throw refusal(provider, '/prompt', 'must be a single string')
}

function textAnswer(body: JsonObject, context: CallContext): JsonObject {
  const result = resultOf(body)
  const given = objectsOf(result.choices)
  const { usage, finish_reason } = result
  const choices = given.length === 0 ? [{ text: responseText(result.response), finish_reason }] : given
  return {
    ...headOf(result, context),
    choices: choices.map((choice, index) => ({
      index,
      text: textOfChoice(choice),
      logprobs: choice.logprobs ?? null,
      ...ending(choice.finish_reason, usage, context),
    })),
    usage: usageOf(usage),
  }
}

function headOf({ id, model }: JsonObject, context: CallContext): JsonObject {
  return {
    id: typeof id === 'string' && id !== '' ? id : context.id('cmpl-'),
    object: 'text_completion',
    created: Math.floor(context.now() / 1000),
    model: typeof model === 'string' && model !== '' ? model : context.request.model,
  }
}

/** Some models answer a prompt in the chat format. */
function textOfChoice({ text, message, delta }: JsonObject): string {
  return textOf(text) || textOf(objectOf(message).content) || textOf(objectOf(delta).content)
}

const ending = (given: Json | undefined, usage: Json | undefined, context: CallContext): JsonObject =>
  finishMembers(finishOf({ given, hasCalls: false, usage, request: context.request }), context)

function textStream(context: CallContext): StreamTranslator {
  let head: JsonObject | null = null
  let given: Json | undefined
  let usage: Json | undefined

  function chunk(text: string, members: JsonObject): JsonObject {
    const choice = { index: 0, text, logprobs: null, finish_reason: null, ...members }
    return { ...head, choices: [choice], ...(context.includeUsage ? { usage: null } : {}) }
  }

  function end(): JsonObject[] {
    head ??= headOf({}, context)
    const last = chunk('', ending(given, usage, context))
    const told = context.includeUsage && usage !== undefined
    return [last, ...(told ? [{ ...head, choices: [], usage: usageOf(usage) }] : [])]
  }

  function read(event: JsonObject): JsonObject[] {
    throwFailure(event)
    head ??= headOf(event, context)
    if (isObject(event.usage)) usage = event.usage
    const [choice = { text: responseText(event.response), finish_reason: event.finish_reason }] = objectsOf(
      event.choices,
    )
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') given = choice.finish_reason
    const text = textOfChoice(choice)
    return text === '' ? [] : [chunk(text, { logprobs: choice.logprobs ?? null })]
  }

  return {
    event({ data }) {
      if (data.trim() === '[DONE]') return { chunks: end(), done: true }
      return { chunks: read(parseEvent(data)), done: false }
    },
    end: () => ({ chunks: [], done: false }),
  }
}
