/** Copies a call of the playground as a curl command and as SDK code. */
import { load, call as send, urlOf } from '../../api.ts'
import { rowOf } from '../../json.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { anthropicCodeOf, curlOf, openaiCodeOf } from '../../parts/curl.ts'
import { useMay } from '../../session.tsx'
import type { Call } from './playground-target.tsx'

interface Props {
  call: Call
  /** The called prompt, or an empty string. */
  prompt: string
}

export function CodeButtons({ call, prompt }: Props) {
  const { path, body, headers } = call
  const may = useMay()
  const codeOf = (write: typeof openaiCodeOf) =>
    prompt === ''
      ? write(body, headers)
      : async () => {
          const rendered = await render(call, prompt, may(['prompts.read']))
          return write(rendered.body, rendered.headers)
        }
  return (
    <div class="buttons">
      <CopyButton text={curlOf(path, body, headers)} label="Copy as curl" />
      <CopyButton text={codeOf(openaiCodeOf)} label="Copy as OpenAI code" />
      <CopyButton text={codeOf(anthropicCodeOf)} label="Copy as Anthropic code" />
    </div>
  )
}

/** Renders the request of a prompt with all its parameters and its routing, because SDKs have no call for prompts. */
async function render(
  { body, headers }: Call,
  prompt: string,
  mayRead: boolean,
): Promise<Pick<Call, 'body' | 'headers'>> {
  const { variables = {}, ...given } = body
  const path = { id: prompt }
  const { data } = await send('POST', '/v1/prompts/{id}/render', {
    path,
    headers,
    body: { ...given, variables: rowOf(variables) },
  })
  const isRouted = headers['x-gateway-config'] !== undefined
  const routing = isRouted || !mayRead ? {} : await routingOf(prompt, headers)
  return { body: data, headers: { ...headers, ...routing } }
}

/** Adds the prompt version's config or provider, which a rendered request does not contain. */
async function routingOf(id: string, headers: Call['headers']): Promise<Call['headers']> {
  const { config, virtual_key: key } = await load(urlOf('/v1/prompts/{id}', { path: { id } }), { headers })
  if (typeof config === 'string') return { 'x-gateway-config': config }
  return typeof key === 'string' ? { 'x-gateway-virtual-key': key.replace(/^@/, '') } : {}
}
