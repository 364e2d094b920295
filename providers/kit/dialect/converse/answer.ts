/**
 * Converts a Converse answer to a chat completion. Text is joined; tool use becomes tool calls (or the legacy
 * `function_call`, or the text of a structured output). Without strict compliance `message.content_blocks` contains
 * reasoning and citations, and the answer the vendor's trace, metrics and own fields.
 * Reference:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_ResponseSyntax
 * Errors: `upstream_invalid_response` for a body without a message.
 */
import { blocksInOrder, type CallContext, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { chatCompletion } from '../../chat/answer.ts'
import { objectOf, pick, textOf } from '../../chat/values.ts'
import { finishOf } from './finish-reason.ts'
import { isOutputTool, outputTool } from './output.ts'
import { annotationsOf, saidBlock, textOfBlock } from './said.ts'
import { unifiedUsage } from './usage.ts'

/** Converts an answer to a chat completion. */
export function converseAnswer(body: JsonObject, context: CallContext): JsonObject {
  const { content: given } = objectOf(objectOf(body.output).message)
  if (!Array.isArray(given)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without content.')
  }
  const blocks = given.filter(isObject)
  const uses = blocks.flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse] : []))
  const output = isOutputTool(context) ? uses.find(({ name }) => name === outputTool) : undefined
  const said = output === undefined ? blocks.map(textOfBlock).join('') : JSON.stringify(output.input ?? {})
  const calls = uses.filter((use) => use !== output)
  return chatCompletion(
    {
      id: undefined,
      model: undefined,
      choices: [
        {
          content: said === '' && calls.length > 0 ? null : said,
          calls: calls.map(callOf),
          message: messageExtras(blocks, output, context),
          finish: finishOf(body.stopReason, context),
        },
      ],
      usage: unifiedUsage(body.usage, context.strict),
      extras: { ...serviceTierOf(body), ...vendorExtras(body, context.strict) },
    },
    context,
  )
}

const callOf = ({ toolUseId, name, input }: JsonObject) => ({
  id: textOf(toolUseId),
  name: textOf(name),
  arguments: JSON.stringify(input ?? {}),
})

/** The service tier of the call, in the compatible form. */
export function serviceTierOf({ serviceTier }: JsonObject): JsonObject {
  const { type } = objectOf(serviceTier)
  return typeof type === 'string' ? { service_tier: type === 'reserved' ? 'scale' : type } : {}
}

const extras = ['trace', 'metrics', 'performanceConfig', 'additionalModelResponseFields']

/** Further vendor data, unchanged; none under strict compliance. */
export function vendorExtras(body: JsonObject, strict: boolean): JsonObject {
  return strict ? {} : pick(body, extras)
}

/**
 * Plain text alone is not an extra.
 * @param output the call that represents a structured output
 */
function messageExtras(
  blocks: JsonObject[],
  output: JsonObject | undefined,
  context: CallContext,
): JsonObject {
  const annotations = annotationsOf(blocks)
  const said = blocksInOrder(
    blocks.flatMap(({ toolUse, ...block }): JsonObject[] => {
      if (!isObject(toolUse)) return [saidBlock(block)]
      return toolUse === output ? [] : [{ type: 'tool_use', id: toolUse.toolUseId }]
    }),
  )
  const isPlain = context.strict || said.every(isPlainText)
  return {
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(isPlain ? {} : { content_blocks: said }),
  }
}

const isPlainText = ({ type, citations }: JsonObject): boolean => type === 'text' && citations === undefined
