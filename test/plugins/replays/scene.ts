/** A gateway with two models: the one that callers use and a candidate. The test sets the answers of both. */
import type { IncomingMessage } from 'node:http'
import { chat } from '../../support/gateway.ts'
import { type Management, openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, type Handler, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

export type Body = Record<string, unknown>

export interface ReplayScene {
  api: Management
  upstream: Upstream
  /** Handlers by the name of the provider: `old`, `new`, `judge`. */
  answers: Record<string, Handler>
  /** Requests that reached a provider. */
  callsOf(name: string): Upstream['seen']
  /** Sends a chat completion as a caller, and waits until its log entry is written. */
  ask(body?: Body, headers?: Record<string, string>): Promise<{ status: number; id: string }>
  /** Creates a replay of all requests against the candidate, and waits for its end. */
  replay(body?: Body): Promise<Body>
  ended(id: unknown): Promise<Body>
  create(body?: Body): ReturnType<Management['post']>
  flush(): Promise<void>
}

/** The candidate: the cheaper model. */
export const candidate = { virtual_key: 'new', override_params: { model: 'gpt-4o-mini' } }

/** A model's answer with its usage. */
export const says =
  (content: string, usage: [input: number, output: number] = [100, 20], extra: Body = {}): Handler =>
  (request, response) => {
    const [prompt_tokens, completion_tokens] = usage
    sendJson(
      response,
      200,
      chatAnswer(content, {
        model: request.json?.model,
        usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
        ...extra,
      }),
    )
  }

const nameOf = ({ path }: { path: IncomingMessage['url'] }) => path?.split('/')[1] ?? ''

export function openReplays(fileConfig: Body = {}): ReplayScene {
  const config: Body = {}
  const scene = { answers: {} } as ReplayScene
  before(async () => {
    scene.upstream = await openUpstream((request, response, count) => {
      const answer = scene.answers[nameOf(request)] ?? says('ok')
      return answer(request, response, count)
    })
    const provider = (name: string) => ({
      provider: 'openai',
      api_key: `sk-${name}`,
      custom_host: `${scene.upstream.origin}/${name}/v1`,
    })
    Object.assign(config, {
      providers: Object.fromEntries(['old', 'new', 'judge', 'vectors'].map((name) => [name, provider(name)])),
      ...fileConfig,
    })
  })
  const api = openManagement(config)
  after(() => scene.upstream.close())
  const flush = async () => {
    // The entry is written after the answer.
    await new Promise((resolve) => setImmediate(resolve))
    await api.gateway.runtime.logs.flush()
  }
  const ended = (id: unknown) =>
    until(`the replay ${id} ends`, async () => {
      const { body } = await api.get(`/v1/replays/${id}`)
      const isOver = !['queued', 'running'].includes(String(body.status)) && body.diff !== null
      return isOver ? body : null
    })
  const create = (body: Body = {}) =>
    api.post('/v1/replays', { source: { sample: 5000 }, config: candidate, ...body })
  return Object.assign(scene, {
    api,
    flush,
    ended,
    create,
    callsOf: (name: string) => scene.upstream.seen.filter((request) => nameOf(request) === name),
    async ask(body: Body = chat('hello', { model: 'gpt-4o' }), headers: Record<string, string> = {}) {
      const path = String(headers.path ?? '/v1/chat/completions')
      const { path: _, ...sent } = headers
      const response = await api.gateway.post(path, body, { 'x-gateway-virtual-key': 'old', ...sent })
      await response.text()
      await flush()
      return { status: response.status, id: response.headers.get('x-request-id') ?? '' }
    },
    async replay(body: Body = {}) {
      const made = await create(body)
      if (made.status !== 200) throw new Error(`no replay was made: ${made.text}`)
      return ended(made.body.id)
    },
  } satisfies Partial<ReplayScene>)
}
