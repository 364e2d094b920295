/**
 * Databricks: addresses, bodies, reasoning in lists of contents, errors.
 * Sources: https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference,
 * https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
 */
import type { Dialect, EndpointId, JsonObject, ProviderSettings } from '@gateway/contract'
import adapter from '@gateway/provider-databricks'
import { expect } from 'chai'
import { type ContextOptions, createContext } from '../fixtures/context.ts'
import { dataEvent, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

function endpointOf(id: EndpointId): { dialect: Dialect; pathOf: (model: unknown) => string } {
  const declared = adapter.endpoints[id]
  const endpoint = declared?.kind === 'choice' ? declared.choose({}, { provider: 'databricks' }) : declared
  if (endpoint?.kind !== 'http') throw new Error(`no ${id}`)
  const { path, dialect } = endpoint
  const settings = { provider: 'databricks' }
  const pathOf = (model: unknown) =>
    typeof path === 'string' ? path : path({ model } as JsonObject, settings)
  return { dialect, pathOf }
}
const { dialect: chat } = endpointOf('chatComplete')
const sent = (body: JsonObject, options: ContextOptions = {}) =>
  chat.request(body, createContext({ ...options, request: body }))

const baseUrl = (more: Partial<ProviderSettings>) => {
  if (typeof adapter.baseUrl !== 'function') throw new Error('no base URL')
  return adapter.baseUrl({ provider: 'databricks', ...more })
}

describe('Databricks addresses', () => {
  it('belong to the workspace, in the config or the stored credential', () => {
    const url = 'https://dbc-a1.cloud.databricks.com/serving-endpoints'
    expect(baseUrl({ resource_name: 'dbc-a1' })).to.equal(url)
    expect(baseUrl({ configurations: { databricks_workspace: 'DBC-a1' } })).to.equal(url)
  })
  for (const resource_name of [undefined, '', 'a.b', 'evil.example/x', '-a']) {
    it(`are refused for the workspace ${String(resource_name)}`, () => {
      expect(gatewayErrorOf(() => baseUrl({ resource_name })).code).to.equal('no_provider')
    })
  }
  for (const id of ['chatComplete', 'complete', 'embed'] as const) {
    it(`of ${id} contain the serving endpoint`, () => {
      expect(endpointOf(id).pathOf('my/endpoint')).to.equal('/my%2Fendpoint/invocations')
      expect(gatewayErrorOf(() => endpointOf(id).pathOf('..'))).to.include({ param: '/model' })
    })
  }
})

describe('Databricks bodies', () => {
  it("contain no model, and use the vendor's parameter names", () => {
    const messages = [{ role: 'developer', content: 'D' }]
    const body = { model: 'm', messages, max_completion_tokens: 5, temperature: 1 }
    expect(sent(body)).to.deep.equal({
      messages: [{ role: 'system', content: 'D' }],
      max_tokens: 5,
      temperature: 1,
    })
  })

  it('contain no model for text completions and embeddings, either', () => {
    const context = createContext()
    expect(endpointOf('complete').dialect.request({ model: 'm', prompt: 'P' }, context)).to.deep.equal({
      prompt: 'P',
    })
    expect(endpointOf('embed').dialect.request({ model: 'm', input: 'I' }, context)).to.deep.equal({
      input: 'I',
    })
  })

  it('contain earlier reasoning when the model needs it', () => {
    const content_blocks = [
      { type: 'thinking', thinking: 'T', signature: 's' },
      { type: 'text', text: 'A' },
    ]
    const messages = [
      { role: 'assistant', content: 'A', content_blocks },
      { role: 'assistant', content: 'B', content_blocks: [{ type: 'text', text: 'B' }] },
    ]
    expect(sent({ messages }).messages).to.deep.equal([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'T', signature: 's' }] },
          { type: 'text', text: 'A' },
        ],
      },
      { role: 'assistant', content: 'B' },
    ])
  })

  it('are forwarded unchanged when there is nothing to change', () => {
    const body: JsonObject = { messages: [{ role: 'user', content: 'Hi' }] }
    expect(sent(body)).to.equal(body)
  })
})

const reasoned: JsonObject[] = [
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'T', signature: 's' }] },
  { type: 'text', text: 'A' },
]

describe('Databricks answers', () => {
  const answer = (content: JsonObject[] | string, strict: boolean) => {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
    return chat.answer({ id: 'x', choices }, createContext({ strict }))
  }
  it('are unchanged with plain text', () => {
    const body: JsonObject = { id: 'x', choices: [{ message: { content: 'A' } }] }
    expect(chat.answer(body, createContext())).to.equal(body)
  })
  it('have text instead of a list, and reasoning only without strict compliance', () => {
    expect(answer(reasoned, true).choices).to.deep.equal([
      { index: 0, message: { role: 'assistant', content: 'A' }, finish_reason: 'stop' },
    ])
    expect(answer(reasoned, false))
      .to.have.nested.property('choices[0].message')
      .that.deep.equals({
        role: 'assistant',
        content: 'A',
        content_blocks: [
          { type: 'thinking', thinking: 'T', signature: 's' },
          { type: 'text', text: 'A' },
        ],
      })
  })
  it('are parsed for any content of the list', () => {
    const odd = [1, null, { type: 'reasoning' }, { type: 'x' }] as unknown as JsonObject[]
    expect(answer(odd, false)).to.have.nested.property('choices[0].message.content', '')
  })

  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const streamed = (options: ContextOptions) => {
    const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
      id: 'x',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
      usage,
    })
    const events = [
      chunk({ role: 'assistant', content: reasoned.slice(0, 1) }),
      chunk({ content: reasoned.slice(1) }),
      chunk({ content: 'B' }, 'stop'),
    ]
    return runStream(translatorOf(chat, options), [...events.map(dataEvent), dataEvent('[DONE]')])
  }
  it('stream text instead of lists, and the usage once', () => {
    const { chunks, done } = streamed({ includeUsage: true })
    expect(done).to.equal(true)
    const deltas = chunks.flatMap(({ choices }) => (choices as JsonObject[]).map(({ delta }) => delta))
    expect(deltas).to.deep.equal([{ role: 'assistant' }, { content: 'A' }, { content: 'B' }])
    expect(chunks.at(-1)).to.deep.include({ choices: [], usage })
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).to.have.length(1)
  })
  it('stream reasoning without strict compliance', () => {
    const [first] = streamed({ strict: false }).chunks
    expect(first)
      .to.have.nested.property('choices[0].delta')
      .that.deep.equals({
        role: 'assistant',
        content_blocks: [{ index: 0, type: 'thinking', thinking: 'T', signature: 's' }],
      })
  })
})

describe('Databricks errors', () => {
  const errors: [JsonObject, string, string][] = [
    [{ error_code: 'BAD_REQUEST', message: 'No' }, 'No', 'BAD_REQUEST'],
    [{ error: { message: 'No', code: 'c' } }, 'No', 'c'],
    [{ message: 'No' }, 'No', 'upstream_error'],
  ]
  for (const [body, message, code] of errors) {
    it(`are parsed from ${JSON.stringify(body)}`, () => {
      expect(chat.error?.(400, body, {})).to.deep.include({ status: 400, message, code })
    })
  }
  it('are not reported without a message', () => expect(chat.error?.(400, { odd: 1 }, {})).to.equal(null))
})
