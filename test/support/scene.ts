/**
 * A gateway and one upstream that plays many targets: each is named by the first segment of its path, answers as set by
 * the test, and is recorded by its name.
 */
import { turnUntil } from './clock.ts'
import {
  adminKey,
  chat,
  configHeader,
  startGateway,
  type TestGateway,
  target as upstreamTarget,
} from './gateway.ts'
import {
  answerOk,
  type Handler,
  openUpstream,
  type SeenRequest,
  sendJson,
  type Upstream,
} from './upstream.ts'

/** A status, or all of it. */
export type Answering = number | Handler

export interface Reply {
  status: number
  headers: Headers
  text: string
  /** Parsed; empty when it is no JSON object. */
  body: Record<string, unknown>
  error: { message?: string; type?: string; param?: string | null; code?: string; details?: unknown[] }
  /** `x-gateway-last-used-option-index`. */
  index: string | null
}

export interface AskOptions {
  body?: Record<string, unknown>
  headers?: Record<string, string>
  path?: string
}

export interface Scene {
  gateway: TestGateway
  upstream: Upstream
  /** The behaviour of a target at its next calls; the last one is repeated. Default: 200. */
  answers: Record<string, Answering | Answering[]>
  /** The targets called since the test began, in order. */
  calls(): string[]
  /** The last request that reached a target. */
  seen(name: string): SeenRequest
  /** A target of this name. */
  leaf(name: string, extra?: Record<string, unknown>): Record<string, unknown>
  /** Its base URL. */
  hostOf(name: string): string
  /** A chat completion with this config; none when it is null. */
  ask(config: unknown, options?: AskOptions): Promise<Reply>
  /** The same by a caller who leaves once a target was reached; resolves when the gateway is done with it. */
  askAndLeave(config: unknown, options?: AskOptions): Promise<void>
}

/** Opens both before the tests of this block and closes them after; each test begins with targets that answer 200. */
export function openScene(fileConfig: (origin: string) => Record<string, unknown> = () => ({})): Scene {
  const scene = { answers: {} } as Scene
  let from = 0
  before(async () => {
    scene.upstream = await openUpstream((request, response) => play(scene, from, { request, response }))
    scene.gateway = await startGateway(fileConfig(scene.upstream.origin))
  })
  beforeEach(() => {
    scene.answers = {}
    from = scene.upstream.seen.length
  })
  after(async () => {
    await scene.gateway.stop()
    await scene.upstream.close()
  })
  const requests = () => scene.upstream.seen.slice(from)
  return Object.assign(scene, {
    calls: () => requests().map(nameOf),
    seen(name: string) {
      const found = requests().findLast((request) => nameOf(request) === name)
      if (found === undefined) throw new Error(`The target ${name} was not called.`)
      return found
    },
    hostOf: (name: string) => `${scene.upstream.origin}/${name}/v1`,
    leaf: (name: string, extra = {}) => upstreamTarget(scene.hostOf(name), extra),
    async ask(config: unknown, { body = chat(), headers = {}, path = '/v1/chat/completions' } = {}) {
      const sent = config === null ? headers : { ...configHeader(config), ...headers }
      return readReply(await scene.gateway.post(path, body, sent))
    },
    async askAndLeave(config: unknown, { body = chat(), headers = {}, path = '/v1/chat/completions' } = {}) {
      const caller = new AbortController()
      const reached = scene.upstream.seen.length + 1
      const logged = scene.gateway.logs.length
      const asked = fetch(scene.gateway.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': adminKey,
          ...configHeader(config),
          ...headers,
        },
        body: JSON.stringify(body),
        signal: caller.signal,
      }).catch(() => null)
      await turnUntil(() => scene.upstream.seen.length >= reached, 'the call of a target')
      caller.abort()
      await asked
      const isLeft = (line: Record<string, unknown>) => line.outcome === 'client_closed_request'
      await turnUntil(() => scene.gateway.logs.slice(logged).some(isLeft), 'the end of the request')
    },
  } satisfies Partial<Scene>)
}

const nameOf = ({ path }: SeenRequest): string => path.split('/')[1] ?? ''

function play(
  scene: Scene,
  from: number,
  { request, response }: { request: SeenRequest; response: Parameters<Handler>[1] },
): void | Promise<void> {
  const name = nameOf(request)
  const count = scene.upstream.seen.slice(from).filter((seen) => nameOf(seen) === name).length
  const told = [scene.answers[name] ?? answerOk].flat()
  const answer = told[Math.min(count, told.length) - 1] ?? answerOk
  if (typeof answer === 'function') return answer(request, response, count)
  if (answer === 200) return answerOk(request, response, count)
  sendJson(response, answer, { error: { message: `${name} says ${answer}`, type: 'told', code: 'told' } })
}

export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text()
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const body = parsed as Record<string, unknown>
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    error: (body.error ?? {}) as Reply['error'],
    index: response.headers.get('x-gateway-last-used-option-index'),
  }
}

/** A target that answers with a status and these headers. */
export const answerWith =
  (status: number, headers: Record<string, string>): Handler =>
  (request, response, count) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (status === 200) return answerOk(request, response, count)
    sendJson(response, status, { error: { message: `it says ${status}` } })
  }

/** A target that accepts and closes the connection without an answer. */
export const hangUp: Handler = (_request, response) => {
  response.destroy()
}

/** A target that never answers. */
export const saysNothing: Handler = () => undefined

/** A config with this strategy. */
export const tree = (mode: string, targets: unknown[], strategy: Record<string, unknown> = {}) => ({
  strategy: { mode, ...strategy },
  targets,
})

/** The config file of a scene whose provider `@spent` has used up its rate limit. */
export const withSpentProvider = (origin: string) => ({
  providers: {
    spent: {
      provider: 'openai',
      api_key: 'sk-1',
      custom_host: `${origin}/spent/v1`,
      rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }],
    },
  },
})
