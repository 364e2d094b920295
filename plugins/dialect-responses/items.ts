/**
 * The items of an output: reasoning, messages and function calls. An item's id contains the response's id and the
 * item's index, so a reference to the item leads to its response.
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import { carryBlocks } from './carried.ts'
import type { ClientTool } from './client-tools.ts'
import type { CalledFunction } from './namespaces.ts'

export const responsePrefix = 'resp_'

/**
 * The id of a response's item.
 * @param kind prefix of the id, such as `msg`
 */
export function itemId(kind: string, responseId: string, index: number): string {
  return `${kind}_${responseId.slice(responsePrefix.length)}_${index}`
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export const textPart = (text: string, annotations: JsonObject[], logprobs: JsonObject[]): JsonObject => ({
  type: 'output_text',
  text,
  annotations,
  logprobs,
})

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

export const messageItem = (id: string, content: JsonObject[], status: ItemStatus): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  status,
  content,
})

export interface Call extends CalledFunction {
  callId: string
  arguments: string
}

export const callItem = (id: string, call: Call, status: ItemStatus): JsonObject => ({
  id,
  type: 'function_call',
  status,
  call_id: call.callId,
  name: call.name,
  ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  arguments: call.arguments,
})

/** @param call a call whose `arguments` are the input */
export const customCallItem = (id: string, call: Call, status: ItemStatus): JsonObject => ({
  id,
  type: 'custom_tool_call',
  status,
  call_id: call.callId,
  name: call.name,
  ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  input: call.arguments,
})

/** The item of a tool call that the client runs. */
export const clientCallItem = (
  id: string,
  { tool, callId, args }: { tool: ClientTool; callId: string; args: JsonObject },
  status: ItemStatus,
): JsonObject => ({ id, type: tool.call, status, call_id: callId, ...tool.write(args) })

/** @param blocks the data that the provider needs back */
export const reasoningItem = (
  id: string,
  summary: readonly string[],
  blocks: readonly JsonObject[],
): JsonObject => ({
  id,
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: carryBlocks(blocks, summary),
})

/** Converts a citation from the nested form of chat completions to the form of an output text; null for other forms. */
export function readAnnotation(annotation: Json): JsonObject | null {
  if (!isObject(annotation) || typeof annotation.type !== 'string') return null
  const nested = ownMember(annotation, annotation.type)
  return isObject(nested) ? { type: annotation.type, ...nested } : annotation
}

/** Converts the log probabilities of a choice to the form of an output text. */
export function readLogprobs(logprobs: Json | undefined): JsonObject[] {
  const content = isObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : []
  return content.filter(isObject).map((token) => ({
    ...readLogprob(token),
    top_logprobs: (Array.isArray(token.top_logprobs) ? token.top_logprobs : [])
      .filter(isObject)
      .map(readLogprob),
  }))
}

const readLogprob = ({ token, bytes, logprob }: JsonObject): JsonObject => ({
  token,
  bytes: bytes ?? [],
  logprob,
})

/** An empty text becomes an empty object. */
export const argumentsOf = (written: string): string => (written === '' ? '{}' : written)
