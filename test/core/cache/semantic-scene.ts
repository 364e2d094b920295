/** A gateway with a semantic cache, an upstream that answers questions, and an upstream for the embedding model. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminKey, chat, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { answerOk, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { chatPath } from './support.ts'

const encryptionKey = Buffer.alloc(32, 9).toString('base64')
const members = 96

/** Polite words that add no meaning to the text before them, with the similarity to a text without them. */
const polite = new Map([
  ['please', 0.99],
  ['thanks', 0.97],
])

/** Texts on the same topic have similar vectors: `cats 0.98` has a similarity of 0.98 to `cats`. */
function vectorOf(text: string): number[] {
  const [, topic = text, near = '1'] = /(\w+?)(?: (0\.\d+|1|please|thanks))?$/.exec(text) ?? []
  const cosine = polite.get(near) ?? Number(near)
  const values = new Array<number>(members).fill(0)
  const seed = [...topic].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7)
  for (let index = 0; index < members; index += 1) {
    values[index] = Math.sin(seed * (index + 1)) * cosine
  }
  const length = Math.hypot(...values) / Math.max(cosine, 1e-9)
  // Rotates each pair of components, which gives an orthogonal vector.
  for (let index = 0; index + 1 < members; index += 2) {
    const [one = 0, other = 0] = [Math.sin(seed * (index + 1)), Math.sin(seed * (index + 2))]
    const turn = Math.sqrt(1 - cosine * cosine)
    values[index] = one * cosine - other * turn
    values[index + 1] = other * cosine + one * turn
  }
  return values.map((value) => value / length)
}

export interface Asked {
  body?: Record<string, unknown>
  headers?: Record<string, string>
  gateway?: TestGateway
  path?: string
}

interface Reply {
  response: Response
  text: string
  /** `x-gateway-cache-status` */
  cache: string | null
  similarity: string | null
}

export interface SemanticScene {
  /** A gateway whose store is in memory. */
  gateway: TestGateway
  upstream: Upstream
  embeddings: Upstream
  /** A folder for files of the test. */
  directory: string
  /** Texts for which an embedding has been requested since the test began. */
  embedded: string[]
  /** How the embedding model fails instead of answering. */
  fault: 'down' | 'silent' | null
  /** A topic unique to this test. */
  topic(name?: string): string
  start(storeUrl: string, semantic?: object, file?: (scene: SemanticScene) => object): Promise<TestGateway>
  ask(text: string, asked?: Asked): Promise<Reply>
  /** The cache status of the answer. */
  status(text: string, asked?: Asked): Promise<string | null>
}

/** The header with a config that caches by meaning. */
export const semantic = (extra: object = {}, cache: object = {}) => ({
  'x-gateway-config': JSON.stringify({ provider: '@main', cache: { mode: 'semantic', ...cache }, ...extra }),
})

export function openSemanticScene(): SemanticScene {
  const scene = { embedded: [], fault: null } as Partial<SemanticScene> as SemanticScene
  let count = 0

  before(async () => {
    scene.directory = await mkdtemp(join(tmpdir(), 'gateway-semantic-'))
    scene.upstream = await openUpstream()
    scene.embeddings = await openUpstream((request, response) => {
      const text = String(request.json?.input)
      scene.embedded.push(text)
      if (scene.fault === 'silent') return
      if (scene.fault === 'down') return sendJson(response, 500, { error: { message: 'down' } })
      sendJson(response, 200, {
        object: 'list',
        model: 'text-embedding',
        data: [{ object: 'embedding', index: 0, embedding: vectorOf(text) }],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      })
    })
    scene.gateway = await scene.start('memory:')
  })
  after(async () => {
    await scene.gateway.stop()
    await Promise.all([scene.upstream.close(), scene.embeddings.close()])
    await rm(scene.directory, { recursive: true, force: true })
  })
  beforeEach(() => {
    count += 1
    scene.embedded = []
    scene.fault = null
    scene.upstream.handle(answerOk)
  })

  return Object.assign(scene, {
    topic: (name = 'topic') => `${name}${count}x`,
    start: (storeUrl: string, options: object = {}, file: (scene: SemanticScene) => object = () => ({})) =>
      startGateway(
        {
          providers: {
            main: target(scene.upstream.url, { models: undefined }),
            vectors: target(scene.embeddings.url),
          },
          // Most texts of these tests differ only in the number for their similarity.
          cache: { semantic: { provider: 'vectors', model: 'text-embedding', agreement: 'off', ...options } },
          logs: { bodies: 'full' },
          ...file(scene),
        },
        {
          environment: {
            GATEWAY_ADMIN_KEY: adminKey,
            GATEWAY_ENCRYPTION_KEY: encryptionKey,
            GATEWAY_DATA_DIR: scene.directory,
            GATEWAY_STORE_URL: storeUrl,
          },
        },
      ),
    async ask(
      text: string,
      { body, headers = semantic(), gateway = scene.gateway, path = chatPath }: Asked = {},
    ) {
      const response = await gateway.post(path, body ?? chat(text), headers)
      return {
        response,
        text: await response.text(),
        cache: response.headers.get('x-gateway-cache-status'),
        similarity: response.headers.get('x-gateway-cache-similarity'),
      }
    },
    status: async (text: string, asked: Asked = {}) => (await scene.ask(text, asked)).cache,
  })
}
