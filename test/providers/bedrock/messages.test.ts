/**
 * The Messages format on Amazon Bedrock: unchanged for Anthropic's models, translated for others. Source:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 */
import type { CountTokensRequest, CountTokensResponse } from '@aws-sdk/client-bedrock-runtime'
import { expect } from 'chai'
import type { Wire } from '#kit/dialect/converse/types'
import { json } from '../../support/gateway.ts'
import { answerWith } from '../converse/fixtures/chat.ts'
import { exceptionFrame, frame } from '../fixtures/aws-frames.ts'
import { openCloud, sendBody, sendFrames, signed } from './fixtures/cloud.ts'

const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const body = (more: object = {}) => ({
  model,
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
})
const message = {
  id: 'msg_bdrk_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}
const chunk = (event: object) =>
  frame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' })

const events = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3, outputTokenCount: 2 } },
]

const ownModel = 'arn:aws:bedrock:eu-central-1:1:imported-model/abc'

describe('Bedrock messages', () => {
  const cloud = openCloud((origin) => ({
    providers: {
      mine: {
        ...signed,
        custom_host: origin,
        models: [{ slug: ownModel, is_custom: true, base_model_slug: model }],
      },
    },
  }))

  it('are forwarded to Anthropic models, without the members that are in the path', async () => {
    cloud.handle(sendBody(message))
    const response = await cloud.ask('/v1/messages', body({ top_k: 5, stream: false }))
    expect(await json(response)).to.deep.equal(message)
    const [sent] = cloud.seen()
    expect(sent?.path).to.equal('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke')
    expect(sent?.json).to.deep.equal({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hi' }],
      top_k: 5,
    })
  })

  it('include the beta features of the header in the signed body', async () => {
    cloud.handle(sendBody(message))
    const config = JSON.stringify({
      provider: 'bedrock',
      custom_host: cloud.upstream.origin,
      cloudA_access_key_id: 'AKIAEXAMPLE',
      cloudA_secret_access_key: 'wJalrXUtnFEMI/K7MDENG',
      cloudA_session_token: 'session-token/+=',
      cloudA_region: 'eu-central-1',
    })
    const headers = {
      'x-gateway-config': config,
      'anthropic-beta': 'context-1m-2025-08-07, own',
      'anthropic-version': '2023-06-01',
    }
    const response = await cloud.gateway.post('/v1/messages', body({ anthropic_beta: ['own'] }), headers)
    expect(response.status).to.equal(200)
    const [sent] = cloud.seen()
    expect(sent?.json?.anthropic_beta).to.deep.equal(['own', 'context-1m-2025-08-07'])
    expect(sent?.headers).not.to.have.property('anthropic-beta')
  })

  it("use the base model's format for a custom model, which is the one that is called", async () => {
    cloud.handle(sendBody(message))
    const headers = { 'x-gateway-provider': '@mine' }
    const response = await cloud.gateway.post('/v1/messages', body({ model: ownModel, top_k: 5 }), headers)
    expect(await json(response)).to.deep.equal(message)
    expect(cloud.seen()[0]?.path).to.equal(`/model/${encodeURIComponent(ownModel)}/invoke`)
    expect(cloud.seen()[0]?.json).to.include({ top_k: 5, anthropic_version: 'bedrock-2023-05-31' })
  })

  it("stream the model's own events", async () => {
    cloud.handle(sendFrames(...events.map(chunk)))
    const response = await cloud.ask('/v1/messages', body({ stream: true }))
    const text = await response.text()
    const found = text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    expect(found).to.deep.equal(events)
    expect(cloud.seen()[0]?.path).to.match(/\/invoke-with-response-stream$/)
    expect(cloud.seen()[0]?.json).not.to.have.property('stream')
  })

  it('end a stream with an error after an exception', async () => {
    const frames = [
      ...events.slice(0, 3).map(chunk),
      exceptionFrame('internalServerException', { message: 'Oh.' }),
    ]
    cloud.handle(sendFrames(...frames))
    const text = await (await cloud.ask('/v1/messages', body({ stream: true }))).text()
    expect(text).to.include('Oh.').and.not.include('message_stop')
  })

  it('keep status and message of an error', async () => {
    cloud.handle(sendBody({ message: 'Malformed.' }, { 'x-amzn-errortype': 'ValidationException' }, 400))
    const response = await cloud.ask('/v1/messages', body())
    expect(response.status).to.equal(400)
    expect((await json(response)).error).to.include({ message: 'Malformed.' })
  })

  it('are translated for models of other vendors', async () => {
    cloud.handle(sendBody(answerWith([{ text: 'Hello' }])))
    const response = await cloud.ask('/v1/messages', body({ model: 'amazon.nova-pro-v1:0' }))
    expect(await json(response)).to.deep.include({
      type: 'message',
      content: [{ type: 'text', text: 'Hello' }],
    })
    expect(cloud.seen()[0]?.path).to.match(/\/converse$/)
  })

  it('are counted with the model of the inference profile', async () => {
    const counted: Wire<Omit<CountTokensResponse, '$metadata'>> = { inputTokens: 9 }
    cloud.handle(sendBody(counted))
    const { max_tokens: _bound, ...asked } = body()
    const response = await cloud.ask('/v1/messages/count_tokens', asked)
    expect(await json(response)).to.deep.equal({ input_tokens: 9 })
    const [sent] = cloud.seen()
    expect(sent?.path).to.equal('/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens')
    const { input } = (sent?.json ?? {}) as unknown as Wire<Omit<CountTokensRequest, 'modelId'>>
    const encoded = input?.invokeModel?.body
    expect(JSON.parse(Buffer.from(encoded ?? '', 'base64').toString('utf8'))).to.deep.equal({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })
})
