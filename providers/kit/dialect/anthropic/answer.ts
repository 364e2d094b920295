/**
 * Converts a message to a chat completion. Text blocks are joined; tool use becomes tool calls (or the legacy
 * `function_call`). Without strict compliance `message.content_blocks` contains thinking, citations and the vendor's
 * other content.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: {@link UpstreamFault} for an error instead of a message; `upstream_invalid_response` for an invalid body.
 */
import {
  blocksInOrder,
  type CallContext,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import { chatCompletion } from '../../chat/answer.ts'
import type { ToolCall } from '../../chat/tools.ts'
import { textOf } from '../../chat/values.ts'
import { annotationsOf, textOfBlock } from './citations.ts'
import { faultOf } from './errors.ts'
import { finishOf, refusalOf } from './finish-reason.ts'
import { unifiedUsage } from './usage.ts'

/** Converts a message to a chat completion. */
export function anthropicAnswer(body: JsonObject, context: CallContext): JsonObject {
  if (body.type === 'error') throw faultOf(body)
  if (!Array.isArray(body.content)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without content.')
  }
  const blocks = body.content.filter(isObject)
  const text = blocks.map(textOfBlock).join('')
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(callOf)
  const choice = {
    content: text === '' && calls.length > 0 ? null : text,
    calls,
    message: { ...refusalOf(body), ...extrasOf(blocks, context) },
    finish: finishOf(body.stop_reason),
  }
  const usage = unifiedUsage(body.usage, context.strict)
  return chatCompletion({ id: body.id, model: body.model, choices: [choice], usage }, context)
}

const callOf = ({ id, name, input }: JsonObject): ToolCall => ({
  id: textOf(id),
  name: textOf(name),
  arguments: JSON.stringify(input ?? {}),
})

/** Plain text alone is not an extra. */
function extrasOf(
  blocks: JsonObject[],
  { strict }: CallContext,
): { annotations?: Json; content_blocks?: Json } {
  const annotations = annotationsOf(blocks)
  const said = blocksInOrder(blocks.map(withoutInput))
  return {
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(strict || said.every(isPlainText) ? {} : { content_blocks: said }),
  }
}

/** A call is in `tool_calls`; here is only a reference. */
const withoutInput = (block: JsonObject): JsonObject =>
  block.type === 'tool_use' ? { type: 'tool_use', id: block.id } : block

function isPlainText(block: JsonObject): boolean {
  const { citations } = block
  return block.type === 'text' && (!Array.isArray(citations) || citations.length === 0)
}
