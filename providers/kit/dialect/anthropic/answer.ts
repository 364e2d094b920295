/**
 * A message → a chat completion. Text blocks are joined; tool use becomes tool calls (or the legacy
 * `function_call`). Without strict compliance `message.content_blocks` holds thinking, citations and what else
 * the vendor says beside the text. Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `upstream_invalid_response` for a body that is not a message.
 */
import { type CallContext, GatewayError, isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { finishReason } from './finish-reason.ts'
import { isLegacy } from './tools.ts'
import { unifiedUsage } from './usage.ts'

/** The chat completion that a message answers. */
export function anthropicAnswer(body: JsonObject, context: CallContext): JsonObject {
  if (!Array.isArray(body.content)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without content.')
  }
  const blocks = body.content.filter(isObject)
  return {
    id: typeof body.id === 'string' ? body.id : context.id('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.now() / 1000),
    model: typeof body.model === 'string' ? body.model : context.request.model,
    choices: [
      {
        index: 0,
        message: readMessage(blocks, context),
        logprobs: null,
        ...finishReason(body.stop_reason, context),
      },
    ],
    usage: unifiedUsage(body.usage, context.strict),
  }
}

function readMessage(blocks: JsonObject[], context: CallContext): JsonObject {
  const text = blocks.map((block) => (block.type === 'text' ? String(block.text ?? '') : '')).join('')
  const calls = blocks.filter((block) => block.type === 'tool_use')
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...callsOf(calls, context),
    ...extrasOf(blocks, context),
  }
}

function callsOf(calls: JsonObject[], context: CallContext): JsonObject {
  const [first] = calls
  if (first === undefined) return {}
  if (isLegacy(context.request)) return { function_call: functionOf(first) }
  return { tool_calls: calls.map((call) => ({ id: call.id, type: 'function', function: functionOf(call) })) }
}

function functionOf(call: JsonObject): JsonObject {
  return { name: call.name, arguments: JSON.stringify(call.input ?? {}) }
}

/** Tool use is left out here: it stands in `tool_calls`. Plain text alone is no extra. */
function extrasOf(blocks: JsonObject[], context: CallContext): { content_blocks?: Json[] } {
  const said = blocks.filter((block) => block.type !== 'tool_use')
  return context.strict || said.every(isPlainText) ? {} : { content_blocks: said }
}

function isPlainText(block: JsonObject): boolean {
  const { citations } = block
  return block.type === 'text' && (!Array.isArray(citations) || citations.length === 0)
}
