/**
 * A provider with models of several vendors: models that support this format are called in it, the others with chat
 * completions.
 */
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { openScene } from '../../support/scene.ts'
import { ask, askMessages, eventsOf, saidBy } from './fixtures.ts'

/**
 * The main module of a provider that answers without an upstream. Models that begin with `native-` support messages.
 */
const source = `
const unsupported = () => Object.assign(new Error('no such endpoint for this model'), {
  [Symbol.for('gateway.error')]: true,
  code: 'unsupported_endpoint', status: 400, type: 'invalid_request_error', param: null, details: null, headers: null,
})
const answer = (body, stream) => ({ status: 200, headers: {}, body, stream })
const usage = { input_tokens: 1, output_tokens: 1 }
const head = { id: 'n', type: 'message', role: 'assistant', model: 'm', stop_sequence: null, usage }
async function* events() {
  yield { type: 'message_start', message: { ...head, content: [], stop_reason: null } }
  yield { type: 'message_stop' }
}
async function* chunks() {
  yield { id: 'c', choices: [{ index: 0, delta: { content: 'as a chat' }, finish_reason: null }] }
  yield { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
}
const messages = { kind: 'procedure', run: async (body) =>
  body.stream ? answer(null, events()) : answer({ ...head, content: [{ type: 'text', text: 'as it is' }], stop_reason: 'end_turn' }, null) }
const chat = { kind: 'procedure', run: async (body) =>
  body.stream ? answer(null, chunks()) : answer({ id: 'c', choices: [{ index: 0, message: { content: 'as a chat' }, finish_reason: 'stop' }] }, null) }
const choose = (endpoint, prefix) => ({ kind: 'choice', choose: ({ model }) => {
  if (model.startsWith(prefix)) return endpoint
  throw unsupported()
} })
export default {
  name: 'many', title: 'Many', docs: 'none', baseUrl: null, credential: 'none', auth: (request) => request,
  endpoints: { messages: choose(messages, 'native-'), chatComplete: choose(chat, 'chat-') },
}`

describe('/v1/messages at a provider with models of several vendors', () => {
  const packages = packageDirectory()
  let directory = ''
  before(async () => {
    directory = await packages.write({ name: 'provider-of-many', kind: 'provider', source })
  })
  const scene = openScene(() => ({ plugins: { packages: [directory] } }))
  const config = { provider: 'many', custom_host: 'http://127.0.0.1:9/v1' }

  for (const [model, text] of [
    ['native-1', 'as it is'],
    ['chat-1', 'as a chat'],
  ] as const) {
    it(`answers ${text} for ${model}`, async () => {
      const reply = await askMessages(scene, config, { body: ask('x', { model }) })
      expect([reply.status, saidBy(reply)]).to.deep.equal([200, text])
    })
    it(`streams the events of a message for ${model}`, async () => {
      const events = eventsOf(await askMessages(scene, config, { body: ask('x', { model, stream: true }) }))
      expect(events[0]?.name).to.equal('message_start')
      expect(events.at(-1)?.name).to.equal('message_stop')
    })
  }

  it('is refused for a model with neither messages nor chat completions', async () => {
    const reply = await askMessages(scene, config, { body: ask('x', { model: 'image-1' }) })
    expect([reply.status, reply.error.code]).to.deep.equal([400, 'unsupported_endpoint'])
  })
})
