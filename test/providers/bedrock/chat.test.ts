/**
 * Chat on Amazon Bedrock, over HTTP, with signatures that are checked as the vendor checks them.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, …/API_runtime_ConverseStream.html
 */
import { expect } from 'chai'
import { json, readEvents } from '../../support/gateway.ts'
import { answerWith } from '../converse/fixtures/chat.ts'
import { textStream } from '../converse/fixtures/streams.ts'
import { exceptionFrame, frame } from '../fixtures/aws-frames.ts'
import { openCloud, secretAccessKey, sendBody, sendFrames, sessionToken, signed } from './fixtures/cloud.ts'

const model = 'anthropic.claude-3-5-sonnet-20240620-v1:0'
const chat = (more: object = {}) => ({ model, messages: [{ role: 'user', content: 'Hi — 你好' }], ...more })
const path = '/v1/chat/completions'

describe('Bedrock chat', () => {
  const cloud = openCloud((origin) => ({
    providers: {
      cloud: {
        provider: 'bedrock',
        custom_host: origin,
        configurations: {
          aws_auth_type: 'accessKey',
          aws_region: 'eu-central-1',
          aws_access_key_id: 'AKIAEXAMPLE',
          aws_secret_access_key: secretAccessKey,
          aws_session_token: sessionToken,
        },
      },
    },
  }))

  it('is one signed call to the model, without an API key', async () => {
    cloud.handle(sendBody(answerWith([{ text: 'Hello' }])))
    const response = await cloud.ask(path, chat({ max_tokens: 9 }))
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'Hello')
    expect(response.status).to.equal(200)
    const [request] = cloud.seen()
    expect(request?.path).to.equal('/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse')
    expect(request?.headers['x-amz-security-token']).to.equal(sessionToken)
    expect(request?.json).to.deep.equal({
      messages: [{ role: 'user', content: [{ text: 'Hi — 你好' }] }],
      inferenceConfig: { maxTokens: 9 },
    })
  })

  for (const name of [
    'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc',
    'us.meta.llama3-3-70b-instruct-v1:0',
    "odd name (with) 'marks'!*~",
  ]) {
    it(`signs the path of the model ${name}`, async () => {
      cloud.handle(sendBody(answerWith([{ text: 'Hello' }])))
      const response = await cloud.ask(path, chat({ model: name }))
      expect(await json(response)).to.have.nested.property('choices[0].message.content', 'Hello')
      expect(decodeURIComponent(cloud.seen()[0]?.path ?? '')).to.equal(`/model/${name}/converse`)
    })
  }

  for (const name of ['..', '.']) {
    it(`does not leave the path with the model ${name}`, async () => {
      const response = await cloud.ask(path, chat({ model: name }))
      expect((await json(response)).error).to.include({ code: 'invalid_body' })
      expect(cloud.seen()).to.deep.equal([])
    })
  }

  it('is signed by a stored credential', async () => {
    cloud.handle(sendBody(answerWith([{ text: 'Hello' }])))
    const response = await cloud.gateway.post(path, chat({ model: `@cloud/${model}` }))
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'Hello')
  })

  it('sends an API key as a bearer token', async () => {
    cloud.handle(sendBody(answerWith([{ text: 'Hello' }])))
    await cloud.ask(path, chat(), { provider: 'bedrock', api_key: 'bedrock-api-key' })
    expect(cloud.seen()[0]?.headers.authorization).to.equal('Bearer bedrock-api-key')
  })

  it('streams, for every split of the frames', async () => {
    const bytes = Buffer.concat(textStream.map(({ event, data }) => frame(event ?? '', data)))
    const pieces = Array.from({ length: Math.ceil(bytes.length / 50) }, (_, at) =>
      bytes.subarray(at * 50, (at + 1) * 50),
    )
    cloud.handle(sendFrames(...pieces))
    const response = await cloud.ask(path, chat({ stream: true, stream_options: { include_usage: true } }))
    const events = await readEvents(response)
    expect(events.at(-1)).to.equal('[DONE]')
    const chunks = events.slice(0, -1).map((data) => JSON.parse(data))
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).to.equal('Hello')
    expect(chunks.at(-1)?.usage).to.include({ prompt_tokens: 135, completion_tokens: 15 })
    expect(cloud.seen()[0]).to.deep.include({ method: 'POST' })
    expect(cloud.seen()[0]?.path).to.match(/\/converse-stream$/)
    expect(cloud.seen()[0]?.headers.accept).to.equal('application/vnd.amazon.eventstream')
  })

  const [start, ...rest] = textStream.map(({ event, data }) => frame(event ?? '', data))
  const begun = Buffer.concat([start ?? Buffer.alloc(0), rest[0] ?? Buffer.alloc(0)])
  const breaks: [string, Buffer[], string][] = [
    [
      'an exception',
      [begun, exceptionFrame('modelStreamErrorException', { message: 'Broke off' })],
      'ModelStreamErrorException',
    ],
    ['half a frame', [begun, (rest[1] ?? Buffer.alloc(0)).subarray(0, 20)], 'upstream_invalid_response'],
    ['its end before its time', [begun], 'upstream_invalid_response'],
  ]
  for (const [what, frames, code] of breaks) {
    it(`ends a stream with an error after ${what}`, async () => {
      cloud.handle(sendFrames(...frames))
      const events = await readEvents(await cloud.ask(path, chat({ stream: true })))
      expect(events).not.to.include('[DONE]')
      expect(JSON.parse(events.at(-1) ?? '{}').error.code).to.equal(code)
    })
  }

  it('returns a plain error when the stream begins with an exception', async () => {
    cloud.handle(sendFrames(exceptionFrame('throttlingException', { message: 'Slow down' })))
    const response = await cloud.ask(path, chat({ stream: true }))
    expect(response.status).to.equal(429)
    expect((await json(response)).error).to.include({ message: 'Slow down' })
  })

  it('keeps status and message of an error', async () => {
    cloud.handle(
      sendBody({ message: 'Too many tokens.' }, { 'x-amzn-errortype': 'ValidationException' }, 400),
    )
    const response = await cloud.ask(path, chat())
    expect(response.status).to.equal(400)
    expect(await json(response)).to.deep.include({ provider: 'bedrock' })
    expect(response.headers.get('x-gateway-provider')).to.equal('bedrock')
  })

  it('shows neither secret nor token in a signature error', async () => {
    const message = `It does not match.\n\nThe Canonical String for this request should have been 'x-amz-security-token:${sessionToken}'`
    cloud.handle(sendBody({ message }, {}, 403))
    const response = await cloud.ask(path, chat())
    const text = await response.text()
    expect(response.status).to.equal(403)
    expect(text).to.include('It does not match.')
    for (const secret of [sessionToken, secretAccessKey]) expect(text).not.to.include(secret)
  })

  it('is refused with an incomplete access key, as an error of the config', async () => {
    const { cloudA_secret_access_key: _secret, ...half } = signed
    const response = await cloud.ask(path, chat(), half)
    expect(response.status).to.equal(400)
    expect((await json(response)).error).to.include({ code: 'invalid_config' })
    expect(cloud.seen()).to.deep.equal([])
  })

  it('fetches images by URL and sends their bytes', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex')
    cloud.upstream.handle((request, response) => {
      if (request.method !== 'GET') return sendBody(answerWith([{ text: 'A cat' }]))(request, response, 1)
      response.writeHead(200, { 'content-type': 'image/png' })
      response.end(png)
    })
    const content = [{ type: 'image_url', image_url: { url: `${cloud.upstream.origin}/cat.png` } }]
    const response = await cloud.ask(path, { model, messages: [{ role: 'user', content }] })
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'A cat')
    expect(cloud.seen()[1]?.json).to.deep.equal({
      messages: [
        { role: 'user', content: [{ image: { format: 'png', source: { bytes: png.toString('base64') } } }] },
      ],
    })
  })
})
