/**
 * Text completions on Amazon Bedrock, over HTTP.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-meta.html,
 * …/model-parameters-mistral-text-completion.html, …/model-parameters-deepseek.html
 */
import { expect } from 'chai'
import { json, readEvents } from '../../support/gateway.ts'
import { exceptionFrame, frame } from '../fixtures/aws-frames.ts'
import { openCloud, sendBody, sendFrames } from './fixtures/cloud.ts'

const llama = 'meta.llama3-8b-instruct-v1:0'
const mistral = 'mistral.mixtral-8x7b-instruct-v0:1'
const metrics = { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 4, outputTokenCount: 2 } }
const chunk = (event: object) =>
  frame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') })

describe('Bedrock completions', () => {
  const cloud = openCloud()
  const complete = (body: object) => cloud.ask('/v1/completions', body)

  const families: [string, object, object, object][] = [
    [
      llama,
      { max_tokens: 9, temperature: 1.5, top_p: 0.5 },
      { prompt: 'Once', max_gen_len: 9, temperature: 1, top_p: 0.5 },
      { generation: ' upon', prompt_token_count: 4, generation_token_count: 2, stop_reason: 'length' },
    ],
    [
      mistral,
      { max_tokens: 9, stop: 'END', seed: 1 },
      { prompt: 'Once', max_tokens: 9, stop: ['END'] },
      { outputs: [{ text: ' upon', stop_reason: 'length' }] },
    ],
    ['us.deepseek.r1-v1:0', {}, { prompt: 'Once' }, { choices: [{ text: ' upon', stop_reason: 'length' }] }],
  ]
  for (const [model, more, wire, answer] of families) {
    it(`are translated for ${model}`, async () => {
      const counts = { 'x-amzn-bedrock-input-token-count': '4', 'x-amzn-bedrock-output-token-count': '2' }
      cloud.handle(sendBody(answer, counts))
      const response = await complete({ model, prompt: 'Once', ...more })
      expect(await json(response)).to.deep.include({
        object: 'text_completion',
        model,
        choices: [{ index: 0, text: ' upon', logprobs: null, finish_reason: 'length' }],
        usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
      })
      expect(cloud.seen()[0]?.json).to.deep.equal(wire)
      expect(cloud.seen()[0]?.path).to.match(/\/invoke$/)
    })
  }

  const streams: [string, object[]][] = [
    [
      llama,
      [
        { generation: ' up', prompt_token_count: 4, generation_token_count: 1, stop_reason: null },
        {
          generation: 'on',
          prompt_token_count: null,
          generation_token_count: 2,
          stop_reason: 'stop',
          ...metrics,
        },
      ],
    ],
    [
      mistral,
      [
        { outputs: [{ text: ' up', stop_reason: null }] },
        { outputs: [{ text: 'on', stop_reason: 'stop' }], ...metrics },
      ],
    ],
  ]
  for (const [model, events] of streams) {
    it(`stream from ${model}`, async () => {
      cloud.handle(sendFrames(...events.map(chunk)))
      const request = { model, prompt: 'Once', stream: true, stream_options: { include_usage: true } }
      const found = await readEvents(await complete(request))
      expect(found.at(-1)).to.equal('[DONE]')
      const chunks = found.slice(0, -1).map((data) => JSON.parse(data))
      expect(chunks.map(({ choices: [choice] }) => [choice?.text, choice?.finish_reason])).to.deep.equal([
        [' up', null],
        ['on', 'stop'],
        [undefined, undefined],
      ])
      expect(chunks.at(-1)?.usage).to.deep.equal({ prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 })
      expect(cloud.seen()[0]?.path).to.match(/\/invoke-with-response-stream$/)
    })
  }

  it('end a stream that breaks off with an error', async () => {
    const frames = [
      chunk(streams[0]?.[1][0] ?? {}),
      exceptionFrame('modelTimeoutException', { message: 'Too slow.' }),
    ]
    cloud.handle(sendFrames(...frames))
    const found = await readEvents(await complete({ model: llama, prompt: 'Once', stream: true }))
    expect(found).not.to.include('[DONE]')
    expect(JSON.parse(found.at(-1) ?? '{}').error).to.include({ message: 'Too slow.' })
  })

  const refused: [string, object, string][] = [
    ['stop sequences of a model that has none', { model: llama, stop: 'x' }, '/stop'],
    ['an insertion', { suffix: 'x' }, '/suffix'],
    ['an echo', { echo: true }, '/echo'],
    ['several choices', { n: 2, best_of: 2 }, '/n'],
    ['several prompts', { prompt: ['a', 'b'] }, '/prompt'],
    ['tokens', { prompt: [1, 2] }, '/prompt'],
  ]
  for (const [what, more, param] of refused) {
    it(`are refused for ${what}`, async () => {
      const response = await complete({ model: mistral, prompt: 'Once', ...more })
      expect((await json(response)).error).to.include({ code: 'invalid_body', param })
      expect(cloud.seen()).to.deep.equal([])
    })
  }

  it('are refused for a model that supports only chat', async () => {
    const response = await complete({ model: 'amazon.nova-pro-v1:0', prompt: 'Once' })
    expect((await json(response)).error).to.include({ code: 'unsupported_endpoint' })
  })

  it('are an error without a text', async () => {
    cloud.handle(sendBody({ outputs: [] }))
    const response = await complete({ model: mistral, prompt: 'Once' })
    expect((await json(response)).error).to.include({ code: 'upstream_invalid_response' })
  })
})
