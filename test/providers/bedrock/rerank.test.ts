/**
 * Rerank on Amazon Bedrock, over HTTP.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
 */
import { expect } from 'chai'
import { json } from '../../support/gateway.ts'
import { sendJson } from '../../support/upstream.ts'
import { openCloud, sendBody } from './fixtures/cloud.ts'

describe('Bedrock rerank', () => {
  const cloud = openCloud()
  const rerank = (body: object) => cloud.ask('/v1/rerank', body)
  const documents = ['Paris', { text: 'Berlin', country: 'de' }]
  const request = { model: 'cohere.rerank-v3-5:0', query: 'capital of France', documents }
  const answer = {
    results: [
      { index: 1, relevanceScore: 0.1 },
      { index: 0, relevanceScore: 0.9 },
    ],
  }
  const inline = (text: string) => ({
    type: 'INLINE',
    inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
  })

  it('sends nested queries and sources, and the model as a resource name', async () => {
    cloud.handle(sendBody(answer))
    const response = await rerank({
      ...request,
      top_n: 5,
      max_tokens_per_document: 100,
      priority: 1,
      return_documents: true,
    })
    expect(await json(response)).to.deep.include({
      object: 'list',
      provider: 'bedrock',
      model: 'cohere.rerank-v3-5:0',
      usage: { search_units: 0 },
      results: [
        { index: 0, relevance_score: 0.9, document: { text: 'Paris' } },
        { index: 1, relevance_score: 0.1, document: { text: 'Berlin', country: 'de' } },
      ],
    })
    const [sent] = cloud.seen()
    expect(sent?.path).to.equal('/rerank')
    expect(sent?.json).to.deep.equal({
      queries: [{ type: 'TEXT', textQuery: { text: 'capital of France' } }],
      sources: [inline('Paris'), inline('Berlin')],
      rerankingConfiguration: {
        type: 'BEDROCK_RERANKING_MODEL',
        bedrockRerankingConfiguration: {
          numberOfResults: 2,
          modelConfiguration: {
            modelArn: 'arn:aws:bedrock:eu-central-1::foundation-model/cohere.rerank-v3-5:0',
            additionalModelRequestFields: { max_tokens_per_doc: 100 },
          },
        },
      },
    })
  })

  it('keeps a resource name, and requests all results without a limit', async () => {
    cloud.handle(sendBody(answer))
    const model = 'arn:aws:bedrock:us-west-2::foundation-model/amazon.rerank-v1:0'
    const response = await rerank({ ...request, model, max_tokens_per_document: 5 })
    expect(await json(response)).to.include({ model })
    expect(cloud.seen()[0]?.json).to.have.deep.nested.property(
      'rerankingConfiguration.bedrockRerankingConfiguration',
      { numberOfResults: 2, modelConfiguration: { modelArn: model } },
    )
  })

  it('reads all pages', async () => {
    cloud.handle((sent, response) => {
      const isFirst = sent.json?.nextToken === undefined
      const [one, other] = answer.results
      sendJson(response, 200, isFirst ? { results: [one], nextToken: 'next' } : { results: [other] })
    })
    const response = await rerank(request)
    expect((await json(response)).results).to.have.length(2)
    expect(cloud.seen().map(({ json: sent }) => sent?.nextToken)).to.deep.equal([undefined, 'next'])
  })

  it('keeps status and message of an error', async () => {
    cloud.handle(sendBody({ message: 'No access.' }, { 'x-amzn-errortype': 'AccessDeniedException' }, 403))
    const response = await rerank(request)
    expect(response.status).to.equal(403)
    expect((await json(response)).error).to.include({ message: 'No access.', code: 'AccessDeniedException' })
  })
})
