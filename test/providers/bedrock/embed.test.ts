/**
 * Embeddings on Amazon Bedrock, over HTTP.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
 * …/model-parameters-embed-v3.html, …/model-parameters-embed-v4.html,
 * https://docs.aws.amazon.com/nova/latest/userguide/embeddings-schema.html
 */
import { expect } from 'chai'
import { json } from '../../support/gateway.ts'
import { type Handler, sendJson } from '../../support/upstream.ts'
import { openCloud, sendBody } from './fixtures/cloud.ts'

const titan = 'amazon.titan-embed-text-v2:0'

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('Bedrock embeddings', () => {
  const cloud = openCloud()
  const embed = (body: object) => cloud.ask('/v1/embeddings', body)
  const vectorsOf = async (response: Response): Promise<unknown[]> => {
    const { data } = (await response.json()) as { data: { embedding: unknown }[] }
    return data.map(({ embedding }) => embedding)
  }

  /** Titan answers a text with its length, some texts later than others. */
  const lengths: Handler = async (request, response) => {
    const text = String(request.json?.inputText)
    await turns(text.length % 5)
    sendJson(response, 200, { embedding: [text.length, 0.5], inputTextTokenCount: text.length })
  }

  it('are one call per text for Titan, in the order of the texts', async () => {
    cloud.handle(lengths)
    const input = Array.from({ length: 20 }, (_, index) => 'x'.repeat(index + 1))
    const response = await embed({ model: titan, input })
    const body = await json(response.clone())
    expect(body).to.deep.include({
      object: 'list',
      model: titan,
      usage: { prompt_tokens: 210, total_tokens: 210 },
    })
    expect(await vectorsOf(response)).to.deep.equal(input.map((text) => [text.length, 0.5]))
    expect(cloud.seen()).to.have.length(20)
    expect(cloud.seen()[0]?.path).to.equal('/model/amazon.titan-embed-text-v2%3A0/invoke')
  })

  it('are made with eight concurrent calls', async () => {
    const held: (() => void)[] = []
    let most = 0
    cloud.handle(async (request, response, count) => {
      const released = new Promise<void>((resolve) => held.push(resolve))
      if (held.length === 8) {
        // Another call would be made now.
        await turns(50)
        most = Math.max(most, held.length)
        for (const release of held.splice(0)) release()
      }
      await released
      return lengths(request, response, count)
    })
    await embed({ model: titan, input: Array.from({ length: 40 }, (_, index) => `text ${index}`) })
    expect(most).to.equal(8)
  })

  it('stop at the first refused text', async () => {
    cloud.handle((request, response, count) => {
      if (request.json?.inputText === 'bad')
        return sendJson(
          response,
          { status: 400, headers: { 'x-amzn-errortype': 'ValidationException:' } },
          { message: 'Malformed.' },
        )
      return lengths(request, response, count)
    })
    const response = await embed({ model: titan, input: ['bad', ...Array(100).fill('good')] })
    expect(response.status).to.equal(400)
    expect((await json(response)).error).to.deep.equal({
      message: 'Malformed.',
      type: 'ValidationException',
      param: null,
      code: 'ValidationException',
    })
    expect(cloud.seen().length).to.be.below(30)
  })

  const bodies: [string, object, object, object][] = [
    [
      'Titan 2, with its own words',
      { model: titan, input: 'hi', dimensions: 256, normalize: false },
      { inputText: 'hi', dimensions: 256, normalize: false },
      { embedding: [1, 2] },
    ],
    [
      'Titan 1',
      { model: 'amazon.titan-embed-text-v1', input: 'hi', user: 'u' },
      { inputText: 'hi' },
      { embedding: [1, 2] },
    ],
    [
      'Titan for images',
      { model: 'amazon.titan-embed-image-v1', input: 'hi', dimensions: 384 },
      { inputText: 'hi', embeddingConfig: { outputEmbeddingLength: 384 } },
      { embedding: [1, 2] },
    ],
    [
      'Nova',
      { model: 'amazon.nova-2-multimodal-embeddings-v1:0', input: 'hi', dimensions: 1024 },
      {
        schemaVersion: 'nova-multimodal-embed-v1',
        taskType: 'SINGLE_EMBEDDING',
        singleEmbeddingParams: {
          embeddingPurpose: 'GENERIC_INDEX',
          embeddingDimension: 1024,
          text: { truncationMode: 'END', value: 'hi' },
        },
      },
      { embeddings: [{ embeddingType: 'TEXT', embedding: [1, 2] }] },
    ],
    [
      'Cohere 3',
      { model: 'cohere.embed-multilingual-v3', input: ['hi'], input_type: 'search_query', truncate: 'END' },
      { texts: ['hi'], input_type: 'search_query', truncate: 'END' },
      { id: 'e', embeddings: [[1, 2]], response_type: 'embeddings_floats', texts: ['hi'] },
    ],
    [
      'Cohere 4',
      { model: 'us.cohere.embed-v4:0', input: ['hi'], dimensions: 512 },
      { texts: ['hi'], input_type: 'search_document', embedding_types: ['float'], output_dimension: 512 },
      { id: 'e', embeddings: { float: [[1, 2]] }, response_type: 'embeddings_by_type', texts: ['hi'] },
    ],
  ]
  for (const [what, request, wire, answer] of bodies) {
    it(`are translated for ${what}`, async () => {
      cloud.handle(sendBody(answer, { 'x-amzn-bedrock-input-token-count': '7' }))
      const response = await embed(request)
      const body = await json(response)
      expect(body).to.deep.include({ usage: { prompt_tokens: 7, total_tokens: 7 } })
      expect(body.data).to.deep.equal([{ object: 'embedding', index: 0, embedding: [1, 2] }])
      expect(cloud.seen()[0]?.json).to.deep.equal(wire)
    })
  }

  it('are made with 96 texts per call for Cohere', async () => {
    cloud.handle((request, response) => {
      const texts = request.json?.texts as string[]
      sendJson(response, 200, { embeddings: texts.map((text) => [Number(text)]) })
    })
    const input = Array.from({ length: 200 }, (_, index) => String(index))
    const found = await vectorsOf(await embed({ model: 'cohere.embed-english-v3', input }))
    expect(found).to.deep.equal(input.map((text) => [Number(text)]))
    expect(cloud.seen().map(({ json: sent }) => [sent?.texts].flat().length)).to.have.members([96, 96, 8])
  })

  it('are base64 when that was requested', async () => {
    cloud.handle(sendBody({ embedding: [1] }))
    expect(
      await vectorsOf(await embed({ model: titan, input: 'hi', encoding_format: 'base64' })),
    ).to.deep.equal(['AACAPw=='])
  })

  const refused: [string, object, string, string | null][] = [
    ['tokens', { model: titan, input: [1, 2] }, 'invalid_body', '/input/0'],
    [
      'dimensions that the model does not have',
      { model: 'cohere.embed-english-v3', input: 'a', dimensions: 9 },
      'invalid_body',
      '/dimensions',
    ],
    ['another model', { model: 'amazon.nova-pro-v1:0', input: 'a' }, 'unsupported_endpoint', '/model'],
  ]
  for (const [what, request, code, param] of refused) {
    it(`are refused for ${what}`, async () => {
      const response = await embed(request)
      expect((await json(response)).error).to.include({ code, param })
      expect(cloud.seen()).to.deep.equal([])
    })
  }

  for (const answer of [{}, { embedding: 'x' }, { embedding: [] }]) {
    it(`are an error for the answer ${JSON.stringify(answer)}`, async () => {
      cloud.handle(sendBody(answer))
      const response = await embed({ model: titan, input: 'hi' })
      expect((await json(response)).error).to.include({ code: 'upstream_invalid_response' })
    })
  }

  it('of a provider that cannot be reached are a connection error', async () => {
    const response = await cloud.ask(
      '/v1/embeddings',
      { model: titan, input: 'hi' },
      {
        provider: 'bedrock',
        api_key: 'k',
        custom_host: 'http://127.0.0.1:1',
      },
    )
    expect(response.status).to.equal(502)
    expect((await json(response)).error).to.include({ code: 'upstream_unreachable' })
  })
})
