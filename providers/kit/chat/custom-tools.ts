/**
 * Custom tools of the chat format, whose input is free text, for formats that support only functions. Each becomes a
 * function with one string parameter, and its calls are returned in the caller's format, also in streams.
 * Reference: https://platform.openai.com/docs/api-reference/chat/create, `tools`
 */
import {
  type CallContext,
  createInputReader,
  customArguments,
  customFunction,
  type Dialect,
  type InputReader,
  inputOf,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import { objectOf, textOf } from './values.ts'

const isCustom = (value: Json): value is JsonObject =>
  isObject(value) && value.type === 'custom' && isObject(value.custom)

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** The dialect for requests with custom tools as well; all others pass unchanged. */
export function withCustomTools(dialect: Dialect): Dialect {
  const { request, answer, stream } = dialect
  return {
    ...dialect,
    request: (body, context) => request(asFunctions(body), context),
    answer: (body, context) => withCalls(answer(body, context), namesIn(context)),
    ...(typeof stream === 'function' ? { stream: (context) => streamOf(stream(context), context) } : {}),
  }
}

/** The names of the custom tools of a request. */
const namesIn = ({ request }: CallContext): ReadonlySet<string> =>
  new Set(
    listOf(request.tools)
      .filter(isCustom)
      .map(({ custom }) => textOf(objectOf(custom).name)),
  )

function asFunctions(body: JsonObject): JsonObject {
  const { messages, tools, tool_choice: choice } = body
  const calls = listOf(messages).some(
    (message) => isObject(message) && listOf(message.tool_calls).some(isCustom),
  )
  if (!calls && !listOf(tools).some(isCustom)) return body
  return {
    ...body,
    ...(Array.isArray(messages) ? { messages: messages.map(messageOf) } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(toolOf) } : {}),
    ...(choice !== undefined && isCustom(choice)
      ? { tool_choice: { type: 'function', function: { name: objectOf(choice.custom).name ?? null } } }
      : {}),
  }
}

function toolOf(tool: Json): Json {
  if (!isCustom(tool)) return tool
  const { custom, ...rest } = tool
  const { name = null, description, format } = objectOf(custom)
  const grammar =
    isObject(format) && isObject(format.grammar) ? { type: 'grammar', ...format.grammar } : format
  const told = { ...(description === undefined ? {} : { description }), format: grammar ?? null }
  return { ...rest, type: 'function', function: { name, ...customFunction(told) } }
}

function messageOf(message: Json): Json {
  if (!isObject(message) || !listOf(message.tool_calls).some(isCustom)) return message
  return { ...message, tool_calls: listOf(message.tool_calls).map(callOf) }
}

function callOf(call: Json): Json {
  if (!isCustom(call)) return call
  const { custom, ...rest } = call
  const { name = null, input } = objectOf(custom)
  return { ...rest, type: 'function', function: { name, arguments: customArguments(textOf(input)) } }
}

/** A whole answer, with calls of these tools in the caller's form. */
function withCalls(answer: JsonObject, names: ReadonlySet<string>): JsonObject {
  if (names.size === 0) return answer
  return mapHolders(answer, 'message', (call) => {
    const { function: called, ...rest } = call
    const { name, arguments: written } = objectOf(called)
    if (!names.has(textOf(name))) return [call]
    return [{ ...rest, type: 'custom', custom: { name: textOf(name), input: inputOf(textOf(written)) } }]
  })
}

/** Changes the tool calls of each choice. */
function mapHolders(
  body: JsonObject,
  holder: 'message' | 'delta',
  change: (call: JsonObject, choice: JsonObject) => JsonObject[],
): JsonObject {
  const choices = listOf(body.choices).map((choice) => {
    const held = isObject(choice) ? choice[holder] : undefined
    if (!isObject(choice) || !isObject(held) || !Array.isArray(held.tool_calls)) return choice
    const calls = held.tool_calls.flatMap((call) => (isObject(call) ? change(call, choice) : []))
    return { ...choice, [holder]: { ...held, tool_calls: calls } }
  })
  return { ...body, choices }
}

function streamOf(inner: StreamTranslator, context: CallContext): StreamTranslator {
  const names = namesIn(context)
  if (names.size === 0) return inner
  /** By choice and call. */
  const inputs = new Map<string, InputReader>()

  const changeCall = (call: JsonObject, choice: JsonObject): JsonObject[] => {
    const id = `${String(choice.index)}/${String(call.index)}`
    const { function: called, ...rest } = call
    const { name, arguments: written } = objectOf(called)
    const isFirst = names.has(textOf(name)) && !inputs.has(id)
    if (isFirst) inputs.set(id, createInputReader())
    const reader = inputs.get(id)
    if (reader === undefined) return [call]
    const input = reader.add(textOf(written))
    if (isFirst) return [{ ...rest, type: 'custom', custom: { name: textOf(name), input } }]
    return input === '' ? [] : [{ ...rest, custom: { input } }]
  }

  /** The remaining text of each input, before the choice ends. */
  const withRests = (chunk: JsonObject): JsonObject[] => {
    const ended = listOf(chunk.choices).flatMap((choice) =>
      isObject(choice) && typeof choice.finish_reason === 'string' ? [String(choice.index)] : [],
    )
    const rests = [...inputs].flatMap(([id, reader]): JsonObject[] => {
      const [choice = '', index = ''] = id.split('/')
      const input = ended.includes(choice) ? reader.end() : ''
      if (input === '') return []
      const call = { index: Number(index), custom: { input } }
      const delta = { index: Number(choice), delta: { tool_calls: [call] }, finish_reason: null }
      const { usage: _, ...head } = chunk
      return [{ ...head, choices: [delta] }]
    })
    return [...rests, chunk]
  }

  const translated = ({ chunks, done }: ReturnType<StreamTranslator['event']>) => ({
    chunks: chunks.flatMap((chunk) => withRests(mapHolders(chunk, 'delta', changeCall))),
    done,
  })
  return { event: (event) => translated(inner.event(event)), end: () => translated(inner.end()) }
}
