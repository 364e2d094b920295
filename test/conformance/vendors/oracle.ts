/**
 * Oracle Cloud Generative AI, in its generic format.
 * Source: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/ChatResult/Chat
 */
import type { JsonObject } from '@gateway/contract'
import { usageOf } from './compatible.ts'
import { eventAnswer, jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

const oracleUsage = (said: Said): JsonObject => {
  const { prompt_tokens, completion_tokens, total_tokens } = usageOf(said)
  return { promptTokens: prompt_tokens, completionTokens: completion_tokens, totalTokens: total_tokens }
}

const oracleText = (text: string) => (text === '' ? {} : { content: [{ type: 'TEXT', text }] })
const oracleFinish = (said: Said) => (said.calls.length > 0 ? 'tool_calls' : 'stop')

const oracleCalls = (said: Said): JsonObject =>
  said.calls.length === 0
    ? {}
    : {
        toolCalls: said.calls.map(({ id, name, input }) => ({
          type: 'FUNCTION',
          id,
          name,
          arguments: JSON.stringify(input),
        })),
      }

export const oracle: Vendor = {
  dialects: ['oracle-chat'],
  whole(said) {
    const message = { role: 'ASSISTANT', ...oracleText(said.text), ...oracleCalls(said) }
    const choices = [{ index: 0, message, finishReason: oracleFinish(said) }]
    const chatResponse = {
      apiFormat: 'GENERIC',
      timeCreated: '2025-01-01T00:00:00Z',
      choices,
      usage: oracleUsage(said),
    }
    return jsonAnswer({ modelId: 'test-model', modelVersion: '1', chatResponse })
  },
  stream: (said) =>
    eventAnswer([
      ...said.pieces.map((text) => ({ index: 0, message: { role: 'ASSISTANT', ...oracleText(text) } })),
      ...(said.calls.length === 0
        ? []
        : [{ index: 0, message: { role: 'ASSISTANT', ...oracleCalls(said) } }]),
      { index: 0, message: { role: 'ASSISTANT' }, finishReason: oracleFinish(said) },
      { usage: oracleUsage(said) },
    ]),
  error: (status, message) => jsonAnswer({ code: String(status), message }, status),
  heard({ request: { json } }) {
    const chat = member(json, 'chatRequest')
    const parts = listOf(member(chat, 'messages')).flatMap((message) => listOf(member(message, 'content')))
    return {
      texts: textsIn(member(chat, 'messages')),
      tools: listOf(member(chat, 'tools')).map((tool) => String(member(tool, 'name'))),
      images: parts.flatMap((part) => {
        const url = member(part, 'imageUrl', 'url')
        return typeof url === 'string' ? [url] : []
      }),
      schema: member(chat, 'responseFormat', 'jsonSchema', 'schema'),
    }
  },
}
