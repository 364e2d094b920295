/**
 * A chat request in Cohere's newer format: messages with parts, ids of calls, thinking. Dropped: `logit_bias`,
 * `parallel_tool_calls`, `user`, names of messages.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/CohereChatRequestV2
 * Errors: `invalid_body` for unsupported parts.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import {
  readToolCalls,
  readToolUse,
  refusal,
  saidContent,
  stopSequences,
  textOf,
  textParts,
  withNamedToolOnly,
} from '@gateway/provider-kit'
import { cohereFormat } from './cohere-request.ts'
import { cohereContent } from './content.ts'
import { cohereMaxTokens, readSampling, readStreaming } from './sampling.ts'
import { plainSchema } from './schema.ts'
import type { CohereContent, CohereV2Message, CohereV2Request } from './wire.ts'

/** Converts a body without deprecated members. */
export function cohereV2Request(body: JsonObject, context: CallContext): CohereV2Request {
  const { provider } = context.settings
  const stop = stopSequences(body)
  return {
    apiFormat: 'COHEREV2',
    messages: readMessages(body, provider),
    maxTokens: cohereMaxTokens(body),
    ...readSampling(body, true),
    ...readStreaming(body, context),
    ...readTools(body, provider),
    ...cohereFormat(body, provider),
    ...readThinking(body, context),
    ...(body.logprobs === true ? { isLogProbsEnabled: true } : {}),
    ...(stop === null ? {} : { stopSequences: stop }),
  }
}

function readMessages(body: JsonObject, provider: string): CohereV2Message[] {
  const given = Array.isArray(body.messages) ? body.messages : []
  const messages = given.flatMap((message, index) =>
    isObject(message) ? [readMessage(message, `/messages/${index}`, provider)] : [],
  )
  if (messages.length === 0) throw refusal(provider, '/messages', 'at least one message is required')
  return messages
}

function readMessage(message: JsonObject, path: string, provider: string): CohereV2Message {
  const at = `${path}/content`
  const texts = (): CohereContent[] =>
    textParts(saidContent(message), at, provider).map((text) => ({ type: 'TEXT', text }))
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'SYSTEM', content: texts() }
    case 'tool':
      return { role: 'TOOL', toolCallId: textOf(message.tool_call_id), content: texts() }
    case 'assistant': {
      const said = texts().filter((content) => content.type === 'TEXT' && content.text !== '')
      const calls = readToolCalls(message, path, provider)
      return {
        role: 'ASSISTANT',
        // The format requires content in every message.
        content: said.length === 0 ? [{ type: 'TEXT', text: ' ' }] : said,
        ...(calls.length === 0
          ? {}
          : {
              toolCalls: calls.map(({ id, ...call }) => ({ type: 'FUNCTION' as const, id, function: call })),
            }),
      }
    }
    default:
      return { role: 'USER', content: cohereContent(message.content, at, provider) }
  }
}

type ToolFields = Pick<CohereV2Request, 'tools' | 'toolsChoice' | 'isStrictToolsEnabled'>

/** The format can force a call but not choose the function: then only that function is sent. */
function readTools(body: JsonObject, provider: string): ToolFields {
  const { tools, choice } = withNamedToolOnly(readToolUse(body, provider))
  if (tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'FUNCTION',
      function: { name, ...(description === '' ? {} : { description }), parameters: plainSchema(parameters) },
    })),
    ...(choice === 'required' ? { toolsChoice: 'REQUIRED' } : {}),
    ...(choice === 'none' ? { toolsChoice: 'NONE' } : {}),
    ...(tools.some(({ isStrict }) => isStrict) ? { isStrictToolsEnabled: true } : {}),
  }
}

/** Thinking is on by default; an effort of none, or the caller's `thinking`, disables it. */
function readThinking(body: JsonObject, { strict }: CallContext): Pick<CohereV2Request, 'thinking'> {
  const { thinking, reasoning_effort: effort } = body
  if (!strict && isObject(thinking)) {
    if (thinking.type === 'disabled') return { thinking: { type: 'DISABLED' } }
    const budget = thinking.budget_tokens
    return { thinking: { type: 'ENABLED', ...(typeof budget === 'number' ? { tokenBudget: budget } : {}) } }
  }
  if (typeof effort !== 'string') return {}
  return { thinking: { type: effort === 'none' ? 'DISABLED' : 'ENABLED' } }
}
