/**
 * Ollama: the compatible format for chat and completions, the native one for embeddings and for chat with native-only
 * parameters. No credential is sent.
 * Reference: https://docs.ollama.com/api/openai-compatibility, https://docs.ollama.com/api/introduction
 */
import type { Dialect, HttpEndpoint, JsonObject, ProviderAdapter } from '@gateway/contract'
import { compatibleDialect, inlineMedia, none, ollamaDialect, systemRole } from '@gateway/provider-kit'
import { compatiblePath, nativeUrl } from './address.ts'
import { embed } from './embed.ts'

/** Parameters of the native chat that the compatible endpoint ignores. */
const nativeFields = ['options', 'think', 'keep_alive', 'format']

/** Both formats accept images as base64. */
const chat = (path: HttpEndpoint['path'], dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path,
  dialect,
  prepare: inlineMedia,
})

const compatibleChat = chat(
  compatiblePath('/chat/completions'),
  compatibleDialect('chatComplete', systemRole),
)
const nativeChat = chat('/api/chat', ollamaDialect)

const isNative = (body: JsonObject) =>
  nativeFields.some((field) => body[field] !== undefined && body[field] !== null)

const withoutCredential = none()

const adapter: ProviderAdapter = {
  name: 'ollama',
  title: 'Ollama',
  docs: 'https://docs.ollama.com/api/openai-compatibility',
  baseUrl: null,
  credential: 'none',
  async auth(request, settings, io) {
    const sent = await withoutCredential(request, settings, io)
    return { ...sent, url: nativeUrl(sent.url) }
  },
  endpoints: {
    chatComplete: { kind: 'choice', choose: (body) => (isNative(body) ? nativeChat : compatibleChat) },
    complete: {
      kind: 'http',
      method: 'POST',
      path: compatiblePath('/completions'),
      dialect: compatibleDialect('complete'),
    },
    embed: { kind: 'procedure', run: embed },
  },
  notes: {
    remarks: [
      '`custom_host` is the base URL of the server with `/v1`, such as `http://127.0.0.1:11434/v1`; a private address must be listed in `security.trusted_hosts`.',
      'An API key is not sent.',
      'A chat with `options`, `think`, `keep_alive` or `format` is sent to the native `/api/chat`; others to `/v1/chat/completions`. In the native format a `tool_choice` that forces a call, `modalities` other than text and `web_search_options` are refused.',
      'Embeddings are sent to `/api/embed`, or one by one to `/api/embeddings` if the server lacks it; `truncate`, `options` and `keep_alive` are forwarded.',
      'Images specified by URL are fetched and inlined.',
    ],
    drops: { embed: ['user'] },
    example: { provider: 'ollama', custom_host: 'http://127.0.0.1:11434/v1' },
  },
}

export default adapter
