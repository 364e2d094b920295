/**
 * Converts a logged request of any text endpoint to a chat completion: the Messages API's system prompt, text blocks
 * and tools, and the items of the Responses API. Other members stay unchanged.
 */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'

const textTypes: readonly unknown[] = ['text', 'input_text', 'output_text']

/**
 * Converts content that consists of text blocks to a string. Blocks of the Responses API get the names of chat
 * completions.
 */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const parts = rowsOf(content).map((part): Row => {
    if (textTypes.includes(part.type)) return { type: 'text', text: part.text }
    return part.type === 'input_image' ? { type: 'image_url', image_url: { url: part.image_url } } : part
  })
  return parts.length > 0 && parts.every(({ type }) => type === 'text')
    ? parts.map(({ text }) => text).join('\n')
    : parts
}

const messageOf = (message: Row): Row => ({ ...message, content: contentOf(message.content) })

/** Converts items of the Responses API: messages, and the calls and results of functions. */
function itemOf(item: Row): Row {
  const { type, call_id: id, name, arguments: text, output } = item
  if (type === 'function_call')
    return {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
    }
  if (type === 'function_call_output') return { role: 'tool', tool_call_id: id, content: output }
  return { role: item.role ?? 'user', content: contentOf(item.content) }
}

/** In tools of both other formats, the function's members are at the top level. */
const toolOf = (tool: Row): Row => {
  const { name, description, input_schema: schema, parameters = schema } = tool
  return typeof name === 'string' && parameters !== undefined
    ? { type: 'function', function: { name, description, parameters } }
    : tool
}

function messagesOf({ messages, prompt, input }: Row): Row[] {
  if (messages !== undefined) return rowsOf(messages).map(messageOf)
  const said = prompt ?? input
  if (Array.isArray(said) && said.every((one) => typeof one === 'object')) return rowsOf(said).map(itemOf)
  if (said === undefined || said === null) return []
  return [{ role: 'user', content: typeof said === 'string' ? said : JSON.stringify(said) }]
}

export function chatRequestOf(body: Row): Row {
  const {
    messages: _messages,
    prompt: _prompt,
    input: _input,
    system,
    instructions,
    tools,
    stop_sequences: stop,
    max_output_tokens: most,
    ...others
  } = body
  const first = contentOf(system ?? instructions)
  return {
    ...others,
    ...(tools === undefined ? {} : { tools: rowsOf(tools).map(toolOf) }),
    ...(stop === undefined ? {} : { stop }),
    ...(most === undefined ? {} : { max_completion_tokens: most }),
    messages: [
      ...(first === undefined || first === null ? [] : [{ role: 'system', content: first }]),
      ...messagesOf(rowOf(body)),
    ],
  }
}
