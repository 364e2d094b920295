/**
 * A chat request in Cohere's older format: one message, the history before it, a preamble. Tool results after the
 * last message are sent next to it. Dropped: `logprobs`, `logit_bias`, `parallel_tool_calls`, `reasoning_effort`,
 * `user`.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/CohereChatRequest
 * Errors: `invalid_body` for several choices, for a forced call, and for content that is not text.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import {
  plainText,
  readArguments,
  readResponseFormat,
  readToolCalls,
  readToolUse,
  refusal,
  saidContent,
  stopSequences,
  textOf,
} from '@gateway/provider-kit'
import { cohereMaxTokens, readSampling, readStreaming } from './sampling.ts'
import { parameterDefinitions } from './schema.ts'
import type { CohereCall, CohereMessage, CohereRequest, CohereToolResult } from './wire.ts'

/** Converts a body without deprecated members. */
export function cohereRequest(body: JsonObject, context: CallContext): CohereRequest {
  const { provider } = context.settings
  const stop = stopSequences(body)
  return {
    apiFormat: 'COHERE',
    ...readConversation(body, provider),
    maxTokens: cohereMaxTokens(body),
    ...readSampling(body, true),
    ...readStreaming(body, context),
    ...readTools(body, provider),
    ...cohereFormat(body, provider),
    ...(stop === null ? {} : { stopSequences: stop }),
  }
}

type Conversation = Pick<CohereRequest, 'message' | 'chatHistory' | 'preambleOverride' | 'toolResults'>

function readConversation(body: JsonObject, provider: string): Conversation {
  const given = Array.isArray(body.messages) ? body.messages : []
  const preamble: string[] = []
  const history: CohereMessage[] = []
  const calls = new Map<string, CohereCall>()
  for (const [index, message] of given.entries()) {
    if (!isObject(message)) continue
    const path = `/messages/${index}`
    const text = plainText(saidContent(message), `${path}/content`, provider)
    if (message.role === 'system' || message.role === 'developer') preamble.push(text)
    else if (message.role === 'tool') addResult(history, resultOf(message, text, { calls, path, provider }))
    else if (message.role === 'assistant') history.push(spoken(message, text, { calls, path, provider }))
    else history.push({ role: 'USER', message: text })
  }
  return {
    ...lastTurn(history, provider),
    ...(preamble.length === 0 ? {} : { preambleOverride: preamble.join('\n\n') }),
  }
}

/** The messages that the model has to answer: the user's last message, or the tool results after it. */
function lastTurn(history: CohereMessage[], provider: string): Conversation {
  const last = history.at(-1)
  const before = history.slice(0, -1)
  const chatHistory = before.length === 0 ? {} : { chatHistory: before }
  if (last?.role === 'USER') return { message: last.message, ...chatHistory }
  if (last?.role === 'TOOL') return { message: '', ...chatHistory, toolResults: last.toolResults }
  throw refusal(provider, '/messages', 'the last message must have the role user or tool')
}

/** Groups the results of one turn's calls. */
function addResult(history: CohereMessage[], result: CohereToolResult): void {
  const last = history.at(-1)
  if (last?.role === 'TOOL') last.toolResults.push(result)
  else history.push({ role: 'TOOL', toolResults: [result] })
}

interface ResultOptions {
  calls: ReadonlyMap<string, CohereCall>
  path: string
  provider: string
}

/** The format has no ids: a result repeats its call instead. */
function resultOf(
  message: JsonObject,
  text: string,
  { calls, path, provider }: ResultOptions,
): CohereToolResult {
  const call = calls.get(textOf(message.tool_call_id))
  if (call === undefined) throw refusal(provider, `${path}/tool_call_id`, 'must name an earlier call')
  return { call, outputs: [{ output: text }] }
}

interface SpokenOptions {
  calls: Map<string, CohereCall>
  path: string
  provider: string
}

function spoken(message: JsonObject, text: string, { calls, path, provider }: SpokenOptions): CohereMessage {
  const toolCalls = readToolCalls(message, path, provider).map((call, index): CohereCall => {
    const at = `${path}/tool_calls/${index}/function/arguments`
    const made = { name: call.name, parameters: readArguments(call, at, provider) }
    calls.set(call.id, made)
    return made
  })
  return { role: 'CHATBOT', message: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) }
}

function readTools(body: JsonObject, provider: string): Pick<CohereRequest, 'tools'> {
  const { tools, choice } = readToolUse(body, provider)
  if (choice === 'required') throw refusal(provider, '/tool_choice', 'this provider cannot force a tool call')
  // The model may call the offered tools.
  if (tools.length === 0 || choice === 'none') return {}
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description: description === '' ? name : description,
      parameterDefinitions: parameterDefinitions(parameters),
    })),
  }
}

/** JSON with or without a schema, in the same form for both of Cohere's formats. */
export function cohereFormat(body: JsonObject, provider: string): Pick<CohereRequest, 'responseFormat'> {
  const wanted = readResponseFormat(body, provider)
  if (wanted.type === 'text') return {}
  const schema = wanted.type === 'json_schema' ? { schema: wanted.schema } : {}
  return { responseFormat: { type: 'JSON_OBJECT', ...schema } }
}
