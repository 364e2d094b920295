/**
 * Ids of tool calls for providers that restrict them. A conversation can contain ids of other providers: an id that a
 * provider refuses is replaced by a hash of it, the same in every request, so that a call and its result keep the same
 * id without any state.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { objectsOf, textOf } from './values.ts'

export interface ToolCallIds {
  /** The ids that the provider accepts. */
  accepted: RegExp
  /** Characters that become `_`; without it, and for an id that is still refused, the id is replaced. */
  refused?: RegExp
  /** The length of an id that replaces another one; it has only letters and digits. */
  length: number
  /** The models with this restriction. Default: all. */
  models?: RegExp
}

/** Mistral: https://docs.mistral.ai/capabilities/function_calling. Servers of its models check the same. */
export const nineCharacters: ToolCallIds = { accepted: /^[a-zA-Z0-9]{9}$/, length: 9 }

/** Mistral's models at providers that serve models of several vendors. */
export const nineOfMistral: ToolCallIds = {
  ...nineCharacters,
  models: /mistral|ministral|mixtral|codestral|devstral|magistral|pixtral|voxtral/i,
}

/** OpenAI's chat completions. */
export const fortyCharacters: ToolCallIds = { accepted: /^[\s\S]{0,40}$/, length: 32 }

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses/create (`call_id`). */
export const sixtyFourCharacters: ToolCallIds = { accepted: /^[\s\S]{0,64}$/, length: 32 }

/** Anthropic and Amazon Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
export const wordCharacters: ToolCallIds = {
  accepted: /^[a-zA-Z0-9_-]{1,64}$/,
  refused: /[^a-zA-Z0-9_-]/g,
  length: 32,
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The id in a form that the provider accepts. */
export function acceptedId(id: string, { accepted, refused, length }: ToolCallIds): string {
  if (accepted.test(id)) return id
  const spelled = refused === undefined ? '' : id.replace(refused, '_')
  if (refused !== undefined && accepted.test(spelled)) return spelled
  let rest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
  let hash = ''
  while (hash.length < length) {
    hash += digits[Number(rest % 62n)]
    rest /= 62n
  }
  return hash
}

/** Whether the restriction applies to this request. */
export const isRestricted = ({ model }: JsonObject, { models }: ToolCallIds): boolean =>
  models === undefined || models.test(textOf(model))

/** A message with accepted ids of its calls and of the call that it answers; the same object if all are accepted. */
export function withAcceptedIds(message: JsonObject, ids: ToolCallIds): JsonObject {
  const { tool_call_id: answered, tool_calls: calls } = message
  const mapId = (id: Json | undefined): string | null =>
    typeof id === 'string' && !ids.accepted.test(id) ? acceptedId(id, ids) : null
  const id = mapId(answered)
  const isCallMapped = (call: Json) => isObject(call) && mapId(call.id) !== null
  const isMapped = Array.isArray(calls) && calls.some(isCallMapped)
  if (id === null && !isMapped) return message
  return {
    ...message,
    ...(id === null ? {} : { tool_call_id: id }),
    ...(isMapped
      ? { tool_calls: calls.map((call) => withId(call, isObject(call) ? mapId(call.id) : null)) }
      : {}),
  }
}

const withId = (call: Json, id: string | null): Json =>
  isObject(call) && id !== null ? { ...call, id } : call

/** The ids of a request that were replaced, by the ids that replaced them. */
export function replacedIds(request: JsonObject, ids: ToolCallIds): ReadonlyMap<string, string> {
  const replaced = new Map<string, string>()
  for (const message of objectsOf(request.messages)) {
    for (const { id } of objectsOf(message.tool_calls)) {
      if (typeof id === 'string' && !ids.accepted.test(id)) replaced.set(acceptedId(id, ids), id)
    }
  }
  return replaced
}

/** An answer or a chunk with the caller's ids for calls that a model repeats; the same object if it repeats none. */
export function withCallersIds(body: JsonObject, replaced: ReadonlyMap<string, string>): JsonObject {
  const { choices } = body
  if (replaced.size === 0 || !Array.isArray(choices)) return body
  return { ...body, choices: choices.map((choice) => withCallersChoice(choice, replaced)) }
}

function withCallersChoice(choice: Json, replaced: ReadonlyMap<string, string>): Json {
  if (!isObject(choice)) return choice
  const name = isObject(choice.message) ? 'message' : 'delta'
  const said = choice[name]
  if (!isObject(said) || !Array.isArray(said.tool_calls)) return choice
  const calls = said.tool_calls.map((call) =>
    withId(call, isObject(call) ? (replaced.get(textOf(call.id)) ?? null) : null),
  )
  return { ...choice, [name]: { ...said, tool_calls: calls } }
}
