/**
 * A chat completion → an answer with candidates: thoughts (if requested), text, media and calls in their order.
 * Reference: https://ai.google.dev/api/generate-content (GenerateContentResponse)
 * Errors: `upstream_invalid_response` for a body without a choice, and for arguments that are not an object.
 */
import { GatewayError, isObject, type Json, type JsonObject, saidInOrder } from '@gateway/contract'
import { contentText, type DialectContext, reasoningOf } from '@gateway/contract/dialect'
import { finishReasonOf, groundingOf, logprobsOf } from './finish.ts'
import { showsThoughts } from './generation-config.ts'
import { type Call, callPart, isNeeded, shownPart, signed, textOf, thoughtPart } from './parts.ts'
import { usageMetadataOf } from './usage.ts'

/** Translates a chat completion to an answer. */
export function contentAnswer(body: JsonObject, context: DialectContext): JsonObject {
  const choices = Array.isArray(body.choices) ? body.choices.filter(isObject) : []
  const candidates = choices.map((choice, position) => candidateOf(choice, position, context))
  if (candidates.length === 0)
    throw new GatewayError('upstream_invalid_response', 'The provider returned an answer without choices.')
  return {
    ...(candidates.every(isBlocked) ? blocked : { candidates }),
    usageMetadata: usageMetadataOf(body.usage),
    modelVersion: textOf(body.model) || context.request.model,
    responseId: textOf(body.id) || context.id(''),
  }
}

/** If a filter removes the whole answer, it is reported as a prompt filter, as clients expect. */
export const blocked: JsonObject = { promptFeedback: { blockReason: 'SAFETY' } }

const isBlocked = ({ finishReason, content }: JsonObject): boolean =>
  finishReason === 'SAFETY' && isObject(content) && Array.isArray(content.parts) && content.parts.length === 0

function candidateOf(choice: JsonObject, position: number, context: DialectContext): JsonObject {
  const message = isObject(choice.message) ? choice.message : {}
  const refusal = textOf(message.refusal)
  const text = contentText(message.content) || refusal
  const isCut = choice.finish_reason === 'length'
  return {
    content: { parts: partsOf(message, text, { isCut, context }), role: 'model' },
    finishReason: finishReasonOf(choice, refusal !== ''),
    index: typeof choice.index === 'number' ? choice.index : position,
    ...logprobsOf(choice),
    ...groundingOf(message.annotations, text),
  }
}

function partsOf(
  message: JsonObject,
  text: string,
  { isCut, context }: { isCut: boolean; context: DialectContext },
): Json[] {
  const shows = showsThoughts(context.request)
  const calls = callsOf(message, context)
  const said = saidInOrder(message, text === '' ? [] : [{ text, part: { type: 'text', text } }])
  const parts: JsonObject[] = []
  let needed: JsonObject[] = []
  /** The thoughts before the first text since the last call; null without such a text. */
  let leading: number | null = null
  const add = (part: JsonObject | null) => {
    if (part !== null) parts.push(part)
  }
  const addCall = (call: Call) => {
    add(callPart(call, { blocks: needed, leading: leading ?? 0 }, isCut))
    needed = []
    leading = null
  }
  const blocks = said.flatMap((item) => (item.kind === 'block' ? [item.block] : []))
  const isTold = blocks.some(({ type }) => type === 'thinking')
  const reasoning = reasoningOf(message)
  if (shows && !isTold && reasoning !== '') add(thoughtPart(reasoning))
  for (const item of said) {
    if (item.kind === 'text') {
      leading ??= needed.length
      add({ text: item.text })
    } else if (item.kind === 'call') calls.slice(item.index, item.index + 1).forEach(addCall)
    else {
      const { block } = item
      if (shows && textOf(block.thinking) !== '') add(thoughtPart(textOf(block.thinking)))
      if (isNeeded(block)) needed = [...needed, block]
      add(shownPart(block))
    }
  }
  // The legacy form has one call, which is not in the list.
  calls.slice(said.filter(({ kind }) => kind === 'call').length).forEach(addCall)
  const extra = isObject(message.extra_content) ? message.extra_content : null
  const rest = signed({ blocks: needed, leading: leading ?? 0 }, extra)
  return Object.keys(rest).length === 0 ? parts : [...parts, { text: '', ...rest }]
}

function callsOf(message: JsonObject, context: DialectContext): Call[] {
  const given = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  if (given.length === 0 && isObject(message.function_call))
    return [callOf({ function: message.function_call }, context)]
  return given.map((call) => callOf(call, context))
}

function callOf({ id, function: called, extra_content: extra }: JsonObject, context: DialectContext): Call {
  const { name, arguments: input } = isObject(called) ? called : {}
  return {
    id: textOf(id) || context.id('call_'),
    name: textOf(name),
    input: isObject(input) ? JSON.stringify(input) : textOf(input),
    extra: isObject(extra) ? extra : null,
  }
}
