/**
 * Shared by plain answers and streams: finish reasons, usage, log probabilities, calls, and durations (nanoseconds),
 * which are shown without strict compliance.
 * Reference: https://docs.ollama.com/api/usage
 */
import type { CallContext, Json, JsonObject } from '@gateway/contract'
import { chatUsage, type Finish } from '../../chat/answer.ts'
import type { ToolCall } from '../../chat/tools.ts'
import { countOf, objectOf, objectsOf, pick, textOf } from '../../chat/values.ts'

const durations = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration']

/** The finish reason of an answer; an answer with calls ends with the reason `stop`. */
export function readEnd({ done_reason: given }: JsonObject, hasCalls: boolean): Finish {
  if (hasCalls) return { reason: 'tool_calls', given }
  return { reason: given === 'length' ? 'length' : 'stop', given }
}

/** Usage in the gateway's format. */
export function unifiedUsage(body: JsonObject): JsonObject {
  return chatUsage({ prompt: countOf(body.prompt_eval_count), completion: countOf(body.eval_count) })
}

/** The durations of the steps. */
export function durationsOf(body: JsonObject, context: CallContext): JsonObject {
  return context.strict ? {} : pick(body, durations)
}

/** Log probabilities, or null. */
export function unifiedLogprobs(given: Json | undefined): JsonObject | null {
  const content = objectsOf(given).map((item) => ({
    ...probabilityOf(item),
    top_logprobs: objectsOf(item.top_logprobs).map(probabilityOf),
  }))
  return content.length === 0 ? null : { content }
}

function probabilityOf({ token, logprob, bytes }: JsonObject): JsonObject {
  const text = textOf(token)
  return {
    token: text,
    logprob: countOf(logprob),
    bytes: Array.isArray(bytes) ? bytes : [...Buffer.from(text, 'utf8')],
  }
}

/** The calls of a message; those without an id get one. */
export function readCalls(message: JsonObject, context: CallContext): ToolCall[] {
  return objectsOf(message.tool_calls).map((call) => {
    const { name, arguments: args } = objectOf(call.function)
    return {
      id: textOf(call.id) || context.id('call_'),
      name: textOf(name),
      arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    }
  })
}
