/** A dialect that a package declares is served like the endpoints of core. */
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { configHeader, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'

/** A request is `{model, ask}`, an answer is `{said}`. Its streams are lines of text. */
const source = `
const write = (event) => Buffer.from('data: ' + JSON.stringify(event) + '\\n\\n')
const format = {
  write, ending: Buffer.alloc(0), trailer: null, marks: [Buffer.from('"over"')],
  isLast: ({ data }) => data.includes('"over"'), writeLast: ({ data }) => Buffer.from('data: ' + data + '\\n\\n'),
  finishMarks: [], repair: null, readError: () => null, isOpening: () => false,
  deltas: (event) => (event.said === undefined ? [] : [{ path: '/said', text: event.said }]),
  written: { marks: [Buffer.from('"said"')], deltas: (event) => [{ path: '/said', text: event.said ?? '' }] },
  textAlone: () => null, groupOf: () => '', ended: () => [],
  assemble: (events) => ({ said: events.map(({ said }) => said ?? '').join('') }),
  disassemble: (body) => [body, { over: true }], usageMarks: [], usageOf: (body, before) => before,
  errorBody: ({ error }) => ({ wrong: error.message }), writeError: (body) => write(body), writeFailed: null,
  writeExtra: write,
}
const dialect = {
  needsExtras: false,
  members: new Set(['model', 'ask', 'stream']),
  request: ({ model, ask, stream }) => ({ model, stream, messages: [{ role: 'user', content: ask }] }),
  answer: ({ choices }) => ({ said: choices[0].message.content }),
  stream: () => ({
    chunk: ({ choices }) => (choices?.[0]?.delta?.content ? [{ said: choices[0].delta.content }] : []),
    end: () => [{ over: true }],
  }),
}
export default {
  name: 'dialect-asks', title: 'Asks',
  endpoints: [{
    id: 'generateContent', format, streams: true,
    request: {
      type: 'object', required: ['ask'],
      properties: { model: { type: 'string' }, ask: { type: 'string' }, stream: { type: 'boolean' } },
    },
    requestTexts: ({ ask }, parts) => parts.push({ role: 'user', text: ask, path: '/ask' }),
    answerTexts: ({ said }, parts) => parts.push({ role: 'assistant', text: said, path: '/said' }),
    translation: { kind: 'chat', needs: ['chatComplete'], dialect },
    routes: [{
      serves: 'inference', path: '/v1/asks', operationId: 'ask', summary: 'Asks', tag: 'Asks',
      framing: (query) => query.get('as') === 'lines'
        ? { contentType: 'text/plain', open: () => ({ item: (data) => data + '\\n', end: () => 'end' }) }
        : null,
    }],
  }],
}`

const denies = (word: string) => [{ deny: true, contains: { operator: 'none', words: [word] } }]

describe('a dialect that a package declares', () => {
  const packages = packageDirectory()
  let gateway: TestGateway
  const ask = (body: object, config: object = {}, path = '/v1/asks') =>
    gateway.post(path, { model: 'echo-1', ...body }, configHeader({ provider: 'echo', ...config }))

  before(async () => {
    const directory = await packages.write({ name: 'dialect-asks', kind: 'dialect', source })
    gateway = await startGateway({ plugins: { packages: [directory], disabled: ['dialect-gemini'] } })
  })
  after(() => gateway.stop())

  it('is translated for a provider of chat completions', async () => {
    const response = await ask({ ask: 'autumn' })
    expect(response.status).to.equal(200)
    expect((await json(response)).said).to.include('autumn')
  })

  it('is validated, and its errors have its format', async () => {
    const response = await ask({})
    expect(response.status).to.equal(400)
    expect(Object.keys(await json(response))).to.deep.equal(['wrong'])
  })

  it('shows guardrails its texts', async () => {
    expect((await ask({ ask: 'autumn' }, { input_guardrails: denies('autumn') })).status).to.equal(446)
    expect((await ask({ ask: 'autumn' }, { output_guardrails: denies('autumn') })).status).to.equal(446)
    expect((await ask({ ask: 'autumn' }, { input_guardrails: denies('spring') })).status).to.equal(200)
  })

  it('streams server-sent events, or its own framing', async () => {
    const events = await ask({ ask: 'autumn', stream: true })
    expect(events.headers.get('content-type')).to.contain('text/event-stream')
    expect(await events.text()).to.match(/^data: \{"said":.+\n\ndata: \{"over":true\}\n\n$/s)
    const lines = await ask({ ask: 'autumn', stream: true }, {}, '/v1/asks?as=lines')
    expect(lines.headers.get('content-type')).to.contain('text/plain')
    expect(await lines.text()).to.match(/^\{"said":.+\n\{"over":true\}\nend$/s)
  })

  it('is in the OpenAPI document without internal members', async () => {
    const { paths } = await json(await gateway.get('/v1/openapi.json'))
    const { post } = objectOf(objectOf(paths)['/v1/asks'])
    expect(objectOf(post)).to.include({ operationId: 'ask', summary: 'Asks' })
    expect(objectOf(post)).not.to.have.any.keys('serves', 'framing')
  })

  it('with an endpoint of the gateway itself stops the start', async () => {
    const taken = source.replace("id: 'generateContent'", "id: 'chatComplete'")
    const directory = await packages.write({ name: 'dialect-chat', kind: 'dialect', source: taken })
    const error: { faults?: string[] } = await startGateway({ plugins: { packages: [directory] } }).then(
      async (started) => {
        await started.stop()
        return {}
      },
      (thrown) => thrown,
    )
    expect(error.faults?.join()).to.contain('"dialect-asks" has the endpoint "chatComplete"')
  })
})
