/** Oracle Cloud through the gateway, against a local server that checks signatures and answers as the vendor does. */
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { chat, json, readEvents, startGateway, type TestGateway } from '../../support/gateway.ts'
import {
  openUpstream,
  type SeenRequest,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Whether the signature matches the received request. */
function isSigned({ method, path, headers, bytes }: SeenRequest): boolean {
  const { authorization = '' } = headers
  const named = /headers="([^"]+)"/.exec(authorization)?.[1]?.split(' ') ?? []
  const lines = named.map((name) =>
    name === '(request-target)'
      ? `(request-target): ${method.toLowerCase()} ${path}`
      : `${name}: ${String(headers[name])}`,
  )
  const signature = /signature="([^"]+)"/.exec(authorization)?.[1] ?? ''
  const isWhole = ['host', 'date', '(request-target)', 'content-length', 'content-type', 'x-content-sha256']
  return (
    isWhole.every((name) => named.includes(name)) &&
    headers['x-content-sha256'] === createHash('sha256').update(bytes).digest('base64') &&
    createVerify('RSA-SHA256').update(lines.join('\n')).verify(publicKey, signature, 'base64')
  )
}

const answer = {
  modelId: 'xai.grok-4',
  modelVersion: '1.0',
  chatResponse: {
    apiFormat: 'GENERIC',
    timeCreated: '2025-11-21T22:49:57.174Z',
    choices: [
      {
        index: 0,
        message: { role: 'ASSISTANT', content: [{ type: 'TEXT', text: 'Grüße' }] },
        finishReason: 'stop',
      },
    ],
    usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
  },
}

describe('Oracle Cloud through the gateway', () => {
  let upstream: Upstream
  let gateway: TestGateway
  const path = '/v1/chat/completions'
  const signing = {
    oracle_tenancy: 'ocid1.tenancy.oc1..t',
    oracle_user: 'ocid1.user.oc1..u',
    oracle_fingerprint: '20:3b',
    oracle_private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }

  before(async () => {
    upstream = await openUpstream()
    const stored = { provider: 'oracle', custom_host: `${upstream.origin}/20231130` }
    gateway = await startGateway({
      providers: {
        signing: {
          ...stored,
          configurations: { ...signing, oracle_compartment_id: 'ocid1.compartment.oc1..c' },
        },
        bearing: { ...stored, api_key: 'sk-1', configurations: { oracle_compartment_id: 'c' } },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const ask = (more: Record<string, unknown> = {}, slug = 'signing') =>
    gateway.post(path, chat('¿Qué tal?', { model: `@${slug}/xai.grok-4`, ...more }))
  const seen = () => {
    const last = upstream.seen.at(-1)
    if (last === undefined) throw new Error('nothing was called')
    return last
  }

  it("signs its requests, and returns the model's answer", async () => {
    upstream.handle((request, response) =>
      isSigned(request)
        ? sendJson(response, 200, answer)
        : sendJson(response, 401, { code: 'NotAuthenticated', message: 'The signature is wrong.' }),
    )
    const response = await ask()
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'Grüße')
    expect(response.status).to.equal(200)
    expect(seen().path).to.equal('/20231130/actions/chat')
    expect(seen().headers.authorization).to.contain(
      'keyId="ocid1.tenancy.oc1..t/ocid1.user.oc1..u/20:3b",algorithm="rsa-sha256"',
    )
    expect(seen().json).to.deep.include({
      compartmentId: 'ocid1.compartment.oc1..c',
      servingMode: { servingType: 'ON_DEMAND', modelId: 'xai.grok-4' },
    })
  })

  it('streams, including events with a single line break', async () => {
    const events = [
      { index: 0, message: { role: 'ASSISTANT', content: [{ type: 'TEXT', text: 'Hal' }] }, pad: 'aa' },
      { index: 0, message: { role: 'ASSISTANT', content: [{ type: 'TEXT', text: 'lo' }] }, pad: 'a' },
      { message: { role: 'ASSISTANT' }, finishReason: 'stop', pad: 'aaa' },
      { usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 } },
    ]
    upstream.handle((_, response) =>
      sendEvents(
        response,
        events.map((event) => `data: ${JSON.stringify(event)}\n`),
      ),
    )
    const read = await readEvents(await ask({ stream: true, stream_options: { include_usage: true } }))
    expect(read.at(-1)).to.equal('[DONE]')
    const chunks = read.slice(0, -1).map((event) => JSON.parse(event))
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).to.equal('Hallo')
    expect(chunks.at(-1)).to.deep.include({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
  })

  it('keeps status, code and message of an error, and shows nothing of the key', async () => {
    const body = { code: 'NotAuthorizedOrNotFound', message: 'Authorization failed' }
    upstream.handle((_, response) => sendJson(response, 404, body))
    const response = await ask()
    expect(response.status).to.equal(404)
    const told = await json(response)
    expect(told).to.have.nested.property('error.code', 'NotAuthorizedOrNotFound')
    expect(told).to.have.nested.property('error.message', 'Authorization failed')
    expect(JSON.stringify([told, gateway.logs])).to.not.contain('PRIVATE KEY')
  })

  it('sends an API key as a bearer token without a signing key', async () => {
    upstream.handle((_, response) => sendJson(response, 200, answer))
    expect((await ask({}, 'bearing')).status).to.equal(200)
    expect(seen().headers.authorization).to.equal('Bearer sk-1')
    expect(seen().headers).to.not.have.property('x-content-sha256')
  })

  const faults: [string, Record<string, unknown>, string][] = [
    ['a key without its user', { oracle_private_key: 'k', oracle_tenancy: 't' }, 'oracle_user'],
    ['an invalid serving mode', { oracle_serving_mode: 'SOMETIMES' }, 'oracle_serving_mode'],
    ['an invalid setting', { oracle_regoin: 'x' }, 'oracle_regoin'],
  ]
  for (const [what, configurations, told] of faults) {
    it(`refuses to start with ${what}`, async () => {
      const error = await startGateway({
        providers: { stored: { provider: 'oracle', configurations } },
      }).then(
        async (started) => {
          await started.stop()
          return null
        },
        (thrown: unknown) => thrown,
      )
      expect(String(error)).to.contain('/providers/stored/configurations').and.to.contain(told)
    })
  }
})
