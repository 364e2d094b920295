/** Formats a request as a curl command and as SDK code. The key is a shell variable, never the current one. */
import type { Row } from '../api.ts'
import { messagesRequestOf } from './messages-request.ts'

type Headers = Readonly<Record<string, string>>

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = (path: string, body: unknown, headers: Headers = {}): string =>
  [
    `curl ${quote(location.origin + path)}`,
    `-H "authorization: Bearer $GATEWAY_KEY"`,
    `-H 'content-type: application/json'`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n  ')

const headersOf = (headers: Headers): string[] =>
  Object.keys(headers).length > 0 ? [`  defaultHeaders: ${JSON.stringify(headers)},`] : []

/** @param body body of a chat completion, or of a completion, which has `prompt` instead of `messages` */
export function openaiCodeOf(body: Row, headers: Headers = {}): string {
  const method = body.messages === undefined && body.prompt !== undefined ? 'completions' : 'chat.completions'
  return [
    `import OpenAI from 'openai'`,
    '',
    `const client = new OpenAI({`,
    `  apiKey: process.env.GATEWAY_KEY,`,
    `  baseURL: ${JSON.stringify(`${location.origin}/v1`)},`,
    ...headersOf(headers),
    `})`,
    `const answer = await client.${method}.create(${JSON.stringify(body, null, 2)})`,
  ].join('\n')
}

/** The same request as a call of the Messages API. */
export const anthropicCodeOf = (body: Row, headers: Headers = {}): string =>
  [
    `import Anthropic from '@anthropic-ai/sdk'`,
    '',
    `const client = new Anthropic({`,
    `  authToken: process.env.GATEWAY_KEY,`,
    `  apiKey: null,`,
    `  baseURL: ${JSON.stringify(location.origin)},`,
    ...headersOf(headers),
    `})`,
    `const answer = await client.messages.create(${JSON.stringify(messagesRequestOf(body), null, 2)})`,
  ].join('\n')
