/**
 * Messages whose content is a list: reasoning models answer `[{type: "reasoning", summary}, {type: "text"}]`. Callers
 * receive the text and, without strict compliance, the reasoning as `content_blocks`, which they can send back.
 * Reference: https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { objectsOf, partText, textOf } from '@gateway/provider-kit'

/** An answer or a chunk with text as content; the same object when it already has text. */
export function withTextContents(body: JsonObject, context: CallContext): JsonObject {
  const { choices } = body
  if (!Array.isArray(choices) || !choices.some(hasParts)) return body
  return {
    ...body,
    choices: choices.map((choice) => (isObject(choice) ? withText(choice, context) : choice)),
  }
}

const hasParts = (choice: Json): boolean =>
  isObject(choice) && said.some((name) => isObject(choice[name]) && Array.isArray(choice[name].content))

/** The member of a choice with the content: a whole message, or a delta. */
const said = ['message', 'delta']

function withText(choice: JsonObject, { strict }: CallContext): JsonObject {
  const read = said.flatMap((name): [string, JsonObject][] => {
    const part = choice[name]
    if (!isObject(part) || !Array.isArray(part.content)) return []
    const isPiece = name === 'delta'
    const blocks = blocksOf(part.content)
    const hasReasoning = blocks.some(({ type }) => type === 'thinking')
    const text = objectsOf(part.content).map(partText).join('')
    const content = isPiece && text === '' ? {} : { content: text }
    const numbered = isPiece ? blocks.map((block, index) => ({ index, ...block })) : blocks
    const extras = strict || !hasReasoning ? {} : { content_blocks: numbered }
    const { content: _, ...rest } = part
    return [[name, { ...rest, ...content, ...extras }]]
  })
  return { ...choice, ...Object.fromEntries(read) }
}

function blocksOf(parts: Json): JsonObject[] {
  return objectsOf(parts).flatMap((part): JsonObject[] => {
    const text = partText(part)
    if (text !== null) return [{ type: 'text', text }]
    if (part.type !== 'reasoning') return []
    return objectsOf(part.summary).map(({ text: thinking, signature }) => ({
      type: 'thinking',
      thinking: textOf(thinking),
      ...(typeof signature === 'string' ? { signature } : {}),
    }))
  })
}

/** The body with earlier reasoning in the model's format; the same object without any. */
export function withReasoningParts(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasBlocks)) return body
  return { ...body, messages: messages.map((message) => (isObject(message) ? replayed(message) : message)) }
}

const hasBlocks = (message: Json): boolean => isObject(message) && message.content_blocks !== undefined

function replayed(message: JsonObject): JsonObject {
  const { content_blocks: blocks, ...rest } = message
  const reasoning = objectsOf(blocks)
    .filter(({ type }) => type === 'thinking')
    .map(({ thinking, signature }) => ({
      type: 'reasoning',
      summary: [
        {
          type: 'summary_text',
          text: textOf(thinking),
          ...(typeof signature === 'string' ? { signature } : {}),
        },
      ],
    }))
  if (reasoning.length === 0) return rest
  const { content } = rest
  const texts: Json[] =
    typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : partsOf(content)
  return { ...rest, content: [...reasoning, ...texts] }
}

const partsOf = (content: Json | undefined): Json[] => (Array.isArray(content) ? content : [])
