/**
 * Chat completions: return the last user message, or, with a `tool_choice` that specifies or requires a tool, a call of
 * that tool.
 */
import {
  isObject,
  type Json,
  type JsonObject,
  type ProcedureAnswer,
  type ProcedureContext,
} from '@gateway/contract'
import { readBehaviour } from './behaviour.ts'
import { firstNumber, limitText, seconds, textOf, tokensOf, usageOf } from './text.ts'

export async function chatComplete(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isObject)
  const said = textOf(messages.findLast(({ role }) => role === 'user')?.content)
  const maxTokens = firstNumber(body.max_completion_tokens, body.max_tokens)
  const { text, finish } = limitText(readBehaviour(body).reply ?? said, maxTokens, body.stop)
  const call = toolCall(body, said)
  const choice = { text, finish: call === null ? finish : 'tool_calls', call }
  const count = firstNumber(body.n) ?? 1
  const promptTokens = messages.reduce((sum, { content }) => sum + tokensOf(textOf(content)).length, 0)
  const usage = usageOf(promptTokens, tokensOf(text).length * count)
  const head = { id: context.id('chatcmpl-'), created: seconds(context.now()), model: body.model ?? null }
  if (body.stream === true) {
    return {
      status: 200,
      headers: {},
      body: null,
      stream: chunks(head, choice, { count, usage: context.includeUsage ? usage : null }),
    }
  }
  const choices = Array.from({ length: count }, (_, index) => ({
    index,
    message: message(choice),
    logprobs: null,
    finish_reason: choice.finish,
  }))
  return {
    status: 200,
    headers: {},
    body: { ...head, object: 'chat.completion', choices, usage },
    stream: null,
  }
}

interface Choice {
  text: string
  finish: string
  call: JsonObject | null
}

function message({ text, call }: Choice): JsonObject {
  if (call === null) return { role: 'assistant', content: text, refusal: null }
  return { role: 'assistant', content: null, refusal: null, tool_calls: [call] }
}

/** A call of the required tool, with the user's text as its arguments when the text is JSON. */
function toolCall(body: JsonObject, said: string): JsonObject | null {
  const { tool_choice: choice, tools } = body
  const first = Array.isArray(tools) && isObject(tools[0]) ? tools[0].function : null
  const named = isObject(choice) && isObject(choice.function) ? choice.function.name : null
  const required: Json | undefined = choice === 'required' && isObject(first) ? first.name : null
  const name = named ?? required
  if (typeof name !== 'string') return null
  const isJson = said.trimStart().startsWith('{')
  return { id: 'call_echo_1', type: 'function', function: { name, arguments: isJson ? said : '{}' } }
}

async function* chunks(
  head: JsonObject,
  choice: Choice,
  { count, usage }: { count: number; usage: JsonObject | null },
): AsyncGenerator<JsonObject, void, undefined> {
  const chunk = (index: number, delta: JsonObject, finish: string | null): JsonObject => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs: null, finish_reason: finish }],
  })
  for (let index = 0; index < count; index += 1) {
    yield chunk(index, { role: 'assistant', content: choice.call === null ? '' : null }, null)
    if (choice.call === null)
      for (const token of tokensOf(choice.text)) yield chunk(index, { content: token }, null)
    else yield chunk(index, { tool_calls: [{ index: 0, ...choice.call }] }, null)
    yield chunk(index, {}, choice.finish)
  }
  if (usage !== null) yield { ...head, object: 'chat.completion.chunk', choices: [], usage }
}
