/** A request as a command and as SDK code. The key is a shell variable, never the one in use. */
import type { Row } from '../api.ts'
import { rowsOf } from '../json.ts'

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `curl ${quote(location.origin + path)}`,
    `-H "authorization: Bearer $GATEWAY_KEY"`,
    `-H 'content-type: application/json'`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n  ')

export const openaiCodeOf = (body: unknown, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `import OpenAI from 'openai'`,
    '',
    `const client = new OpenAI({`,
    `  apiKey: process.env.GATEWAY_KEY,`,
    `  baseURL: ${JSON.stringify(`${location.origin}/v1`)},`,
    ...(Object.keys(headers).length > 0 ? [`  defaultHeaders: ${JSON.stringify(headers)},`] : []),
    `})`,
    `const answer = await client.chat.completions.create(${JSON.stringify(body, null, 2)})`,
  ].join('\n')

/** The same as a call of the Messages API, where the system message is a separate member. */
export function anthropicCodeOf(body: Row, headers: Readonly<Record<string, string>> = {}): string {
  const messages = rowsOf(body.messages)
  const system = messages.find(({ role }) => role === 'system')
  const message = {
    model: body.model ?? 'MODEL',
    max_tokens: 1024,
    ...(system === undefined ? {} : { system: system.content ?? '' }),
    messages: messages.filter((one) => one !== system),
  }
  return [
    `import Anthropic from '@anthropic-ai/sdk'`,
    '',
    `const client = new Anthropic({`,
    `  authToken: process.env.GATEWAY_KEY,`,
    `  apiKey: null,`,
    `  baseURL: ${JSON.stringify(location.origin)},`,
    ...(Object.keys(headers).length > 0 ? [`  defaultHeaders: ${JSON.stringify(headers)},`] : []),
    `})`,
    `const answer = await client.messages.create(${JSON.stringify(message, null, 2)})`,
  ].join('\n')
}
