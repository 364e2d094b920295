/**
 * The semantic cache on each SQL engine: which requests it compares, which rules apply to the embedding call, and what
 * it stores.
 */
import { expect } from 'chai'
import { chat, type TestGateway, target } from '../../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { runsEmbedded } from '../../support/servers.ts'
import { chatEvents, sendEvents } from '../../support/upstream.ts'
import { asKey, limitedKey } from '../metering/limits/scene.ts'
import { type Asked, openSemanticScene, type SemanticScene, semantic } from './semantic-scene.ts'

const none = { rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }] }

const files = {
  plain: () => ({ logs: { bodies: 'full' } }),
  /** The embedding model's own limit is exhausted. */
  limited: ({ upstream, embeddings }: SemanticScene) => ({
    providers: { main: target(upstream.url), vectors: target(embeddings.url, none) },
  }),
}

if (isPostgresInstalled()) describeEngine('Postgres')
else console.log('left out: the semantic cache on Postgres, because it is not installed here')
if (runsEmbedded) describeEngine('SQLite')

function describeEngine(engine: 'SQLite' | 'Postgres'): void {
  describe(`the semantic cache on ${engine}`, () => {
    const scene = openSemanticScene()
    const { ask, topic } = scene
    let postgres: PostgresServer | undefined
    let gateway: TestGateway
    let url: string

    const databaseUrl = async (name: string) =>
      postgres === undefined ? `sqlite:${scene.directory}/${name}.db` : await postgres.createDatabase()
    before(async () => {
      if (engine === 'Postgres') postgres = await startPostgres()
      url = await databaseUrl('rows')
      gateway = await scene.start(url)
    })
    after(async () => {
      await gateway.stop()
      await postgres?.close()
    })
    const status = (text: string, asked: Asked = {}) => scene.status(text, { gateway, ...asked })

    const compared: [what: string, asked: (text: string) => Asked][] = [
      ['a chat', (text) => ({ body: chat(text) })],
      ['a completion', (text) => ({ path: '/v1/completions', body: { model: 'm', prompt: text } })],
      [
        'a chat with content parts',
        (text) => ({
          body: { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
        }),
      ],
      [
        'a conversation',
        (text) => ({
          body: {
            model: 'm',
            messages: [
              { role: 'system', content: 'Be brief.' },
              { role: 'user', content: 'Hello' },
              { role: 'assistant', content: 'Hello!' },
              { role: 'user', content: text },
            ],
          },
        }),
      ],
      ['a stream', (text) => ({ body: chat(text, { stream: true }) })],
    ]
    for (const [what, asked] of compared)
      it(`matches ${what} with a similar text`, async () => {
        const first = await status('', asked(topic()))
        const later = await status('', asked(`${topic()} 0.98`))
        expect([first, later]).to.deep.equal(['SEMANTIC MISS', 'SEMANTIC HIT'])
      })

    const isolated: [what: string, extra: { path?: string; api_key?: string; override_params?: object }][] = [
      ['credential', { api_key: 'sk-another' }],
      ['host', { path: '/other' }],
      ['model in its config', { override_params: { model: 'another' } }],
    ]
    for (const [what, { path, ...extra }] of isolated)
      it(`never matches a question with another ${what}`, async () => {
        const asked = (at: string, more: object) => ({
          headers: semantic({
            provider: 'openai',
            api_key: 'sk-test',
            custom_host: `${scene.upstream.origin}${at}/v1`,
            ...more,
          }),
        })
        await status(topic(), asked('', {}))
        expect(await status(`${topic()} 0.99`, asked('', {}))).to.equal('SEMANTIC HIT')
        expect(await status(`${topic()} 0.98`, asked(path ?? '', extra))).to.equal('SEMANTIC MISS')
      })

    const part = {
      audio: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      files: { type: 'file', file: { file_id: 'file-1' } },
    }
    for (const [what, content] of Object.entries(part))
      it(`matches ${what} only exactly, and requests no embedding`, async () => {
        const asked = { body: { model: 'm', messages: [{ role: 'user', content: [content] }] } }
        expect([await status('', asked), await status('', asked)]).to.deep.equal(['MISS', 'HIT'])
        expect(scene.embedded).to.deep.equal([])
      })

    it('matches the run of a prompt', async () => {
      const made = await gateway.post('/v1/prompts', {
        name: topic('prompt'),
        slug: topic('prompt'),
        collection_id: 'default',
        string: JSON.stringify([{ role: 'user', content: '{{question}}' }]),
        parameters: { model: '@main/m' },
        workspace_id: 'default',
      })
      expect(made.status, await made.clone().text()).to.equal(200)
      const run = (question: string) =>
        status('', {
          path: `/v1/prompts/${topic('prompt')}/completions`,
          body: { variables: { question } },
          headers: semantic({ provider: undefined }),
        })
      expect([await run(topic()), await run(`${topic()} 0.98`)]).to.deep.equal([
        'SEMANTIC MISS',
        'SEMANTIC HIT',
      ])
    })

    it('stores a stream only when it is complete', async () => {
      const [opening = '', first = ''] = chatEvents('a longer text')
      scene.upstream.handle((_request, response) => {
        response.setHeader('content-type', 'text/event-stream')
        response.write(opening + first, () => response.socket?.destroy())
      })
      const streamed = (text: string) => ({ body: chat(text, { stream: true }) })
      expect((await ask('', { gateway, ...streamed(topic()) })).text).to.contain('"error"')
      scene.upstream.handle((_request, response) => sendEvents(response, chatEvents('whole')))
      expect(await status('', streamed(`${topic()} 0.99`))).to.equal('SEMANTIC MISS')
    })

    it('finds nothing after max_age', async () => {
      const headers = semantic({}, { max_age: 60 })
      await status(topic(), { headers })
      expect(await status(`${topic()} 0.99`, { headers })).to.equal('SEMANTIC HIT')
      const now = Date.now
      Date.now = () => now() + 61_000
      try {
        expect(await status(`${topic()} 0.98`, { headers })).to.equal('SEMANTIC MISS')
      } finally {
        Date.now = now
      }
    })

    const settings: [what: string, semantic: object, near: string, found: string][] = [
      ['the threshold of the config file', { threshold: 0.9 }, '0.92', 'SEMANTIC HIT'],
      ['its default', {}, '0.92', 'SEMANTIC MISS'],
    ]
    for (const [what, options, near, found] of settings)
      it(`compares with ${what}`, async () => {
        const other = await scene.start(await databaseUrl(`threshold-${near}-${found.length}`), options)
        await status(topic(), { gateway: other })
        expect(await status(`${topic()} ${near}`, { gateway: other })).to.equal(found)
        await other.stop()
      })

    const faults: [
      what: string,
      semantic: object,
      file: keyof typeof files,
      fault: SemanticScene['fault'],
    ][] = [
      ['takes longer than timeout_ms', { timeout_ms: 40 }, 'plain', 'silent'],
      ['exceeds the limit of its credential', {}, 'limited', null],
    ]
    for (const [what, options, file, fault] of faults)
      it(`answers without it when the embedding call ${what}, and stores nothing by meaning`, async () => {
        const store = await databaseUrl(`fault-${file}`)
        const faulty = await scene.start(store, options, files[file])
        scene.fault = fault
        const { response, cache } = await ask(topic(), { gateway: faulty })
        expect([response.status, cache]).to.deep.equal([200, 'SEMANTIC MISS'])
        if (fault === null) expect(scene.embedded).to.deep.equal([])
        const metrics = await (await faulty.get('/metrics')).text()
        expect(metrics).to.match(/gateway_cache_errors_total\{operation="embed"\} 1/)
        await faulty.stop()
        scene.fault = null
        const sound = await scene.start(store)
        expect(await status(`${topic()} 0.99`, { gateway: sound })).to.equal('SEMANTIC MISS')
        await sound.stop()
      })

    it("does not count the embedding call against the caller's limits", async () => {
      const limited = await scene.start(await databaseUrl('caller'), {}, () => ({
        api_keys: [limitedKey({ rate_limits: { type: 'requests', unit: 'rpd', value: 2 } })],
      }))
      const headers = { ...semantic(), ...asKey() }
      const first = await ask(topic(), { gateway: limited, headers })
      expect(first.response.headers.get('x-ratelimit-remaining-requests')).to.equal('1')
      const second = await ask(`${topic()} 0.99`, { gateway: limited, headers })
      expect(second.cache).to.equal('SEMANTIC HIT')
      await limited.stop()
    })
  })
}
