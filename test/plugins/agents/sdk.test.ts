/** Agents behind the gateway, with the official SDK of both protocol generations on both sides. */
import { randomUUID } from 'node:crypto'
import { SendMessageRequest } from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import {
  DefaultAgentCardResolver as OldCardResolver,
  ClientFactory as OldClientFactory,
  JsonRpcTransportFactory as OldJsonRpcFactory,
  RestTransportFactory as OldRestFactory,
} from 'a2a-sdk-v0/client'
import { expect } from 'chai'
import { type A2aAgent, openAgentOf1, openAgentOf03 } from '../../support/a2a.ts'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendJson } from '../../support/upstream.ts'

const cardPath = '.well-known/agent-card.json'

/** The key, set by a client in the header that the card requires. */
const withKey: typeof fetch = (input, init) =>
  fetch(input, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-gateway-api-key': adminKey },
  })

describe('agents behind the gateway, with the SDK on both sides', () => {
  const api = openManagement()
  let current: A2aAgent
  let older: A2aAgent
  before(async () => {
    current = await openAgentOf1()
    older = await openAgentOf03()
    await api.gateway.writeConfig({ public_url: api.gateway.url })
    expect(await api.gateway.reload()).to.equal(true)
  })
  after(async () => {
    await current.close()
    await older.close()
  })

  async function serve(name: string, url: string): Promise<string> {
    const made = await api.post('/v1/agent-integrations', {
      name,
      url,
      auth_type: 'headers',
      configurations: { custom_headers: { authorization: 'Bearer upstream-secret-token' } },
    })
    await api.put(`/v1/agent-integrations/${made.body.id}/workspaces`, {
      global_workspace_access: { enabled: true },
    })
    const server = await api.post('/v1/agent-servers', {
      name,
      agent_integration_id: made.body.id,
      workspace_id: 'default',
    })
    expect(server.status, server.text).to.equal(200)
    return `${api.gateway.url}/v1/agent/${server.body.slug}`
  }

  const send = (text: string) =>
    SendMessageRequest.fromJSON({
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
    })

  for (const [binding, Factory] of [
    ['JSONRPC', JsonRpcTransportFactory],
    ['HTTP+JSON', RestTransportFactory],
  ] as const) {
    it(`exchange a message, a stream and a task in A2A 1.0 over ${binding}`, async () => {
      const url = await serve(`Current ${binding}`, current.url)
      const factory = new ClientFactory({
        transports: [new Factory({ fetchImpl: withKey })],
        cardResolver: new DefaultAgentCardResolver({ fetchImpl: withKey }),
      })
      const client = await factory.createFromUrl(`${url}/`, cardPath)
      const answer = JSON.stringify(await client.sendMessage(send('hello')))
      expect(answer).to.contain('hello')
      const kinds: string[] = []
      let taskId = ''
      for await (const { payload } of client.sendMessageStream(send('task please'))) {
        kinds.push(payload?.$case ?? '')
        if (payload?.$case === 'task') taskId = payload.value.id
      }
      expect(kinds).to.deep.equal(['task', 'statusUpdate'])
      const task = await client.getTask({ id: taskId, tenant: '', historyLength: undefined })
      expect(task.id).to.equal(taskId)
      const { headers } = current.seen.at(-1) ?? { headers: {} }
      expect(headers).to.include({ authorization: 'Bearer upstream-secret-token', 'a2a-version': '1.0' })
      expect(headers).not.to.have.property('x-gateway-api-key')
    })
  }

  for (const [binding, Factory] of [
    ['JSONRPC', OldJsonRpcFactory],
    ['HTTP+JSON', OldRestFactory],
  ] as const) {
    it(`exchange a message, a stream and a task in A2A 0.3 over ${binding}`, async () => {
      const url = await serve(`Older ${binding}`, older.url)
      const factory = new OldClientFactory({
        transports: [new Factory({ fetchImpl: withKey })],
        cardResolver: new OldCardResolver({ fetchImpl: withKey }),
        preferredTransports: [binding],
      })
      const client = await factory.createFromUrl(`${url}/`, cardPath)
      const params = (text: string) => ({
        message: {
          kind: 'message' as const,
          messageId: randomUUID(),
          role: 'user' as const,
          parts: [{ kind: 'text' as const, text }],
        },
      })
      expect(JSON.stringify(await client.sendMessage(params('hello')))).to.contain('hello')
      const kinds: string[] = []
      let taskId = ''
      for await (const event of client.sendMessageStream(params('task please'))) {
        kinds.push(event.kind)
        if (event.kind === 'task') taskId = event.id
      }
      expect(kinds).to.deep.equal(['task', 'status-update'])
      expect((await client.getTask({ id: taskId })).id).to.equal(taskId)
    })
  }

  it('have their A2A 1.0 card rewritten', async () => {
    const url = await serve('Card', current.url)
    const shown = (await (await withKey(`${url}/${cardPath}`)).json()) as Record<string, unknown>
    expect(shown.supportedInterfaces).to.deep.equal([
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ])
    expect(shown).not.to.have.any.keys('signatures', 'url', 'security')
    expect(shown.securitySchemes).to.deep.equal({
      gateway: { apiKeySecurityScheme: { location: 'header', name: 'x-gateway-api-key' } },
    })
    expect(shown.securityRequirements).to.deep.equal([{ schemes: { gateway: { list: [] } } }])
    expect(JSON.stringify(shown)).not.to.contain(new URL(current.url).host)
  })

  it("are called at the interface of the client's version", async () => {
    const upstream = await openUpstream((request, response) => {
      if (request.path !== `/${cardPath}`) {
        const answer = { jsonrpc: '2.0', id: 1, result: { asked: request.path } }
        return sendJson(response, 200, answer)
      }
      const interfaces = ['1.0', '0.3'].map((protocolVersion) => ({
        url: `${upstream.origin}/v${protocolVersion}`,
        protocolBinding: 'JSONRPC',
        protocolVersion,
      }))
      sendJson(response, 200, { name: 'Both', supportedInterfaces: interfaces })
    })
    try {
      const url = await serve('Both', upstream.origin)
      const ask = async (headers: Record<string, string>) => {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey, ...headers },
          body: '{"jsonrpc":"2.0","id":1,"method":"SendMessage"}',
        })
        return ((await response.json()) as { result: { asked: string } }).result.asked
      }
      expect(await ask({ 'a2a-version': '1.0' })).to.equal('/v1.0')
      expect(await ask({ 'a2a-version': '0.3' })).to.equal('/v0.3')
      expect(await ask({}), 'a client without a version uses 0.3').to.equal('/v0.3')
      expect(await ask({ 'a2a-version': '7.0' }), 'an unknown version: the first').to.equal('/v1.0')
    } finally {
      await upstream.close()
    }
  })

  it('have their requests and answers logged', async () => {
    const url = await serve('Logged', older.url)
    const response = await withKey(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":"logged","method":"tasks/get","params":{"id":"none"}}',
    })
    await response.text()
    const path = `/v1/logs/${response.headers.get('x-request-id')}`
    let body: Record<string, unknown> = {}
    await until('the log entry', async () => {
      const reply = await api.get(path)
      body = reply.body
      return reply.status === 200
    })
    expect(JSON.stringify(body.request)).to.contain('"id":"logged"')
    expect(JSON.stringify(body.response)).to.contain('"code":-32001')
    expect(JSON.stringify(body)).not.to.contain('upstream-secret-token')
  })
})
