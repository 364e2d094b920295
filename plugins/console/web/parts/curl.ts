/** A request as a command, and as code of SDKs; the key is a variable of the shell, never the one in use. */
import type { Json } from '../api.ts'

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = (path: string, body: Json, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `curl ${quote(location.origin + path)}`,
    `-H "authorization: Bearer $GATEWAY_KEY"`,
    `-H 'content-type: application/json'`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n  ')

export const openaiCodeOf = (body: Json, headers: Readonly<Record<string, string>> = {}): string =>
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
