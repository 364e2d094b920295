/**
 * A gateway with keys of two workspaces and two stored credentials for one upstream: `chats` has only chat completions,
 * `native` has `/v1/responses` itself.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '@gateway/contract'
import { json, startGateway, type TestGateway } from '../../support/gateway.ts'
import {
  chatAnswer,
  chatEvents,
  type Handler,
  openUpstream,
  type SeenRequest,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'

export interface ResponseScene {
  gateway: TestGateway
  upstream: Upstream
  /** Sets how the upstream answers from now on. */
  play(handler: Handler): void
  /** Requests that reached the upstream since the test began. */
  seen(): SeenRequest[]
  ask(body: JsonObject, headers?: Record<string, string>): Promise<Asked>
  call(method: string, path: string, headers?: Record<string, string>): Promise<Asked>
}

export interface Asked {
  status: number
  headers: Headers
  text: string
  /** The parsed body; empty if it is not JSON. */
  body: Record<string, never>
}

const keys = { one: 'key-of-workspace-one', two: 'key-of-workspace-two' }
export const asTwo = { 'x-gateway-api-key': keys.two }

/** Answers with the last message, streamed on request. */
export const sayBack: Handler = ({ json: asked }, response) => {
  const messages = (asked?.messages ?? []) as { content: unknown }[]
  const last = messages[messages.length - 1]?.content
  const text = typeof last === 'string' ? last : JSON.stringify(last)
  if (asked?.stream === true) sendEvents(response, chatEvents(...text.split(/(?<= )/)))
  else sendJson(response, 200, chatAnswer(text))
}

export function openResponses(extra: Record<string, unknown> = {}): ResponseScene {
  const scene = {} as ResponseScene
  let from = 0
  before(async () => {
    scene.upstream = await openUpstream(sayBack)
    const { url } = scene.upstream
    scene.gateway = await startGateway({
      custom_providers: { acme: { base_url: url, endpoints: ['chatComplete'] } },
      providers: {
        chats: { provider: 'acme', api_key: 'sk-chats' },
        native: { provider: 'openai', api_key: 'sk-native', custom_host: url },
      },
      workspaces: { one: {}, two: {} },
      api_keys: Object.entries(keys).map(([workspace, key]) => ({
        name: workspace,
        key_hash: `sha256:${createHash('sha256').update(key).digest('hex')}`,
        scopes: ['completions.write'],
        workspace,
      })),
      ...withAddress(extra, url),
    })
  })
  beforeEach(() => {
    scene.upstream.handle(sayBack)
    from = scene.upstream.seen.length
  })
  after(async () => {
    await scene.gateway.stop()
    await scene.upstream.close()
  })
  const own = { 'x-gateway-api-key': keys.one }
  const read = async (response: Response): Promise<Asked> => {
    const copy = response.clone()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    const body = isJson ? await json(copy) : {}
    return { status: response.status, headers: response.headers, text: await response.text(), body }
  }
  return Object.assign(scene, {
    play: (handler: Handler) => scene.upstream.handle(handler),
    seen: () => scene.upstream.seen.slice(from),
    ask: async (body: JsonObject, headers = {}) =>
      read(await scene.gateway.post('/v1/responses', { model: '@chats/m', ...body }, { ...own, ...headers })),
    call: async (method: string, path: string, headers = {}) =>
      read(await fetch(scene.gateway.url + path, { method, headers: { ...own, ...headers } })),
  } satisfies Partial<ResponseScene>)
}

/** Replaces `UPSTREAM` in `extra` with the upstream's address. */
const withAddress = (extra: Record<string, unknown>, url: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(extra).replaceAll('UPSTREAM', url)) as Record<string, unknown>

/** The events of a streamed response. */
export const eventsOf = ({ text }: Asked): JsonObject[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject)
