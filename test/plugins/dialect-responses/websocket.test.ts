/** The WebSocket form of `/v1/responses`: messages are create requests, and their events are returned as messages. */
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { keyHash } from '#config-file/keys'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'

type Event = Record<string, unknown>

/** A key that may not call models. */
const listsOnly = 'gw-lists-only-0123456789'

/** An object in an event; empty if there is none. */
const memberOf = (event: Event | undefined, name: string): Event => (event?.[name] ?? {}) as Event

describe('responses over a WebSocket', () => {
  let gateway: TestGateway
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream((_request, response) => {
      const message = { id: 'msg_n', type: 'message', role: 'assistant', status: 'completed' }
      const output = [
        { id: 'rs_n', type: 'reasoning', summary: [] },
        { ...message, content: [{ type: 'output_text', text: 'said', annotations: [] }] },
      ]
      const event = {
        type: 'response.completed',
        response: { id: 'resp_n', object: 'response', store: false, output },
      }
      sendEvents(response, [`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`])
    })
    gateway = await startGateway({
      providers: {
        mine: { provider: 'echo' },
        native: { provider: 'openai', api_key: 'sk-native', custom_host: upstream.url },
      },
      configs: { echo: { provider: '@mine' }, native: { provider: '@native' } },
      api_keys: [{ name: 'lists-only', key_hash: keyHash(listsOnly), scopes: ['configs.list'] }],
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  async function open(headers: Record<string, string> = { authorization: `Bearer ${adminKey}` }) {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
      headers: { 'x-gateway-config': 'echo', ...headers },
    })
    const events: Event[] = []
    let status = 0
    socket.on('message', (data) => events.push(JSON.parse(String(data)) as Event))
    socket.on('error', () => undefined)
    socket.on('unexpected-response', (_request, response) => {
      status = response.statusCode ?? 0
    })
    await until('it is answered', () => socket.readyState === socket.OPEN || status > 0)
    const completed = (count: number) =>
      until(`${count} responses are complete`, () => {
        const done = events.filter(({ type }) => type === 'response.completed')
        return done.length >= count ? done : null
      })
    return {
      socket,
      events,
      completed,
      status: () => status,
      send: (message: unknown) => socket.send(JSON.stringify(message)),
    }
  }

  it('answers each create request with its events, one after the other', async () => {
    const { socket, events, completed, send } = await open()
    send({ type: 'response.create', model: 'm', input: 'first words' })
    send({ type: 'response.create', model: 'm', input: 'second words' })
    await completed(2)
    expect(events[0]?.type).to.equal('response.created')
    const [first, second] = events.flatMap(({ type }, index) => (type === 'response.completed' ? index : []))
    expect(events.slice(0, first).every(({ type }) => type !== 'response.completed')).to.equal(true)
    expect(JSON.stringify(events.slice(0, (first ?? 0) + 1))).to.contain('first words')
    expect(JSON.stringify(events.slice((first ?? 0) + 1, (second ?? 0) + 1))).to.contain('second words')
    socket.close()
  })

  it('continues a response of the same connection', async () => {
    const { socket, completed, send } = await open()
    send({ type: 'response.create', model: 'm', input: 'remember me' })
    const [done] = await completed(1)
    const { id } = memberOf(done, 'response')
    send({ type: 'response.create', model: 'm', input: 'again', previous_response_id: id })
    const both = await completed(2)
    expect(memberOf(both[1], 'response').previous_response_id).to.equal(id)
    socket.close()
  })

  it('compacts an unstored conversation of the connection, and continues from it', async () => {
    const { socket, completed, send } = await open()
    const create = { type: 'response.create', model: 'm', store: false }
    send({ ...create, input: 'remember me' })
    const [done] = await completed(1)
    const trigger = { type: 'compaction_trigger' }
    send({ ...create, input: [trigger], previous_response_id: memberOf(done, 'response').id })
    const [, compacted] = await completed(2)
    const { id, output } = memberOf(compacted, 'response')
    const [item] = output as Event[]
    expect(item?.type).to.equal('compaction')
    expect(item?.encrypted_content).to.match(/^gateway\b/)
    send({ ...create, input: 'go on', previous_response_id: id })
    const [, , last] = await completed(3)
    expect(memberOf(last, 'response').status).to.equal('completed')
    socket.close()
  })

  it('continues an unstored response only on the same connection', async () => {
    const { socket, completed, send } = await open()
    send({ type: 'response.create', model: 'm', input: 'remember me', store: false })
    const [done] = await completed(1)
    const { id } = memberOf(done, 'response')
    const next = {
      type: 'response.create',
      model: 'm',
      input: 'again',
      previous_response_id: id,
      store: false,
    }
    send(next)
    const both = await completed(2)
    expect(memberOf(both[1], 'response').previous_response_id).to.equal(id)
    send({ ...next, previous_response_id: memberOf(both[1], 'response').id })
    await completed(3)
    socket.close()
    const other = await open()
    other.send(next)
    const error = await until('it is refused', () => other.events.find(({ type }) => type === 'error'))
    expect([error.status, memberOf(error, 'error').code]).to.deep.equal([404, 'previous_response_not_found'])
    other.socket.close()
    expect((await gateway.get(`/v1/responses/${String(id)}`)).status).to.equal(404)
  })

  it('prepares a response without a call, which a later message continues', async () => {
    const { socket, events, completed, send } = await open({
      authorization: `Bearer ${adminKey}`,
      'x-gateway-config': 'native',
    })
    const before = upstream.seen.length
    const input = [{ type: 'message', role: 'developer', content: 'first words' }]
    send({ type: 'response.create', model: 'm', input, store: false, generate: false })
    const [done] = await completed(1)
    expect(upstream.seen).to.have.length(before)
    expect(events.map(({ type }) => type)).to.deep.equal(['response.created', 'response.completed'])
    expect(memberOf(done, 'response')).to.deep.include({ status: 'completed', output: [], store: false })
    const { id } = memberOf(done, 'response')
    send({
      type: 'response.create',
      model: 'm',
      input: 'second words',
      previous_response_id: id,
      store: false,
    })
    await completed(2)
    const sent = upstream.seen.at(-1)?.json
    expect(sent).not.to.have.property('generate')
    expect(sent?.input).to.deep.equal([
      { type: 'message', role: 'developer', content: 'first words' },
      { type: 'message', role: 'user', content: 'second words' },
    ])
    socket.close()
  })

  it('keeps a prepared response only for its own connection, even if the request asks to store it', async () => {
    const { socket, completed, send } = await open()
    send({ type: 'response.create', model: 'm', input: 'first words', store: true, generate: false })
    const [done] = await completed(1)
    const { id } = memberOf(done, 'response')
    const other = await open()
    other.send({ type: 'response.create', model: 'm', input: 'again', previous_response_id: id })
    await until('it is refused', () => other.events.length === 1)
    expect(other.events[0]?.status).to.equal(404)
    expect((await gateway.get(`/v1/responses/${String(id)}`)).status).to.equal(404)
    send({ type: 'response.create', model: 'm', input: 'again', previous_response_id: id })
    const both = await completed(2)
    expect(memberOf(both[1], 'response').previous_response_id).to.equal(id)
    socket.close()
    other.socket.close()
  })

  it('refuses to prepare a response for a key that may not create one', async () => {
    const { socket, events, send } = await open({ authorization: `Bearer ${listsOnly}` })
    send({ type: 'response.create', model: 'm', input: 'a', generate: false })
    await until('it is refused', () => events.length === 1)
    expect(events[0]?.status).to.equal(403)
    socket.close()
  })

  it('refuses to prepare a response that continues an unknown one, and an invalid message', async () => {
    const { socket, events, send } = await open()
    send({
      type: 'response.create',
      model: 'm',
      input: 'a',
      previous_response_id: 'resp_none',
      generate: false,
    })
    send({ type: 'response.create', model: 7, input: 'a', generate: false })
    await until('both are refused', () => events.length === 2)
    expect(events.map(({ status }) => status)).to.deep.equal([404, 400])
    socket.close()
  })

  it('makes the session that an agent names in its headers the trace of its messages', async () => {
    const session = '01a22238-7089-7903-93a8-14a274dd3720'
    const { socket, completed, send } = await open({
      authorization: `Bearer ${adminKey}`,
      originator: 'codex_exec',
      'session-id': session,
    })
    for (const input of ['first', 'second'])
      send({ type: 'response.create', model: 'm', input, store: false })
    await completed(2)
    socket.close()
    await until('both are logged', async () => {
      await gateway.runtime.logs.flush()
      const answer = await gateway.get(`/v1/traces/${session}`)
      return answer.ok && ((await answer.json()) as { data: unknown[] }).data.length === 2
    })
  })

  it("continues a provider's own response that is not stored, with the whole conversation", async () => {
    const { socket, completed, send } = await open({
      authorization: `Bearer ${adminKey}`,
      'x-gateway-config': 'native',
    })
    send({ type: 'response.create', model: 'm', input: 'first words', store: false })
    await completed(1)
    send({
      type: 'response.create',
      model: 'm',
      input: 'second words',
      previous_response_id: 'resp_n',
      store: false,
    })
    await completed(2)
    expect(upstream.seen.at(-1)?.json).to.deep.include({
      store: false,
      input: [
        { type: 'message', role: 'user', content: 'first words' },
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'said', annotations: [] }],
        },
        { type: 'message', role: 'user', content: 'second words' },
      ],
    })
    expect(upstream.seen.at(-1)?.json).not.to.have.property('previous_response_id')
    socket.close()
  })

  it('reports an invalid message, and keeps the connection open', async () => {
    const { socket, events, completed, send } = await open()
    send({ type: 'sing' })
    await until('an error comes', () => events.find(({ type }) => type === 'error'))
    expect(events[0]).to.deep.include({ type: 'error', status: 400 })
    send({ type: 'response.create', model: 'm', input: 'a', temperature: 9 })
    await until('another error comes', () => events.length > 1)
    expect(memberOf(events[1], 'error').param).to.equal('/temperature')
    send({ type: 'response.create', model: 'm', input: 'well' })
    await completed(1)
    socket.close()
  })

  it('refuses a caller without a valid key', async () => {
    expect((await open({ authorization: 'Bearer gw-nobody' })).status()).to.equal(401)
  })
})
