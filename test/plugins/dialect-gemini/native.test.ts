/** `generateContent` at a provider with the same API, to which it is forwarded. */
import { expect } from 'chai'
import { estimateUsage } from '#core/metering/limits/usage-cost'
import { endpointOf } from '../../support/endpoints.ts'
import { openScene } from '../../support/scene.ts'
import { sendEvents, sendJson } from '../../support/upstream.ts'
import { answer, ask, askContent, event, events, pathOf, says, streamPath, targetOf } from './fixtures.ts'

describe('generateContent at a provider with the same API', () => {
  const scene = openScene()
  const config = (extra = {}) => targetOf(scene, 'native', { name: 'a', extra })

  it('forwards unknown members, and returns the bytes of the provider', async () => {
    const told = answer([{ text: 'hi', novelty: 1 }], { novelty: [1] })
    scene.answers.a = (_request, response) => sendJson(response, 200, told)
    const body = ask('hello', {
      tools: [{ novelSearch: {} }],
      generationConfig: { novelty: 2 },
      novelty: [1],
    })
    const reply = await askContent(scene, config(), { body })
    const seen = scene.seen('a')
    expect(seen.path).to.equal('/a/v1/models/test-model:generateContent')
    expect(seen.json).to.deep.equal(body)
    expect(reply.text).to.equal(JSON.stringify(told))
    expect(reply.headers.get('x-gateway-provider')).to.equal('google')
  })

  it("sends the target's credential, and never the caller's", async () => {
    scene.answers.a = says('ok')
    const headers = {
      'x-goog-api-key': 'of-the-caller',
      'x-gateway-forward-headers': 'x-other',
      'x-other': '1',
    }
    await askContent(scene, config(), { body: ask(), rest: { headers } })
    expect(scene.seen('a').headers).to.include({ 'x-goog-api-key': 'sk-test', 'x-other': '1' })
  })

  it('streams the original bytes, however they are split', async () => {
    const all = events('hé', 'l"finishReason"', 'lo')
    const bytes = Buffer.from(all.join(''))
    for (const every of [1, 7, 100, 1000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / every) }, (_, index) =>
        bytes.subarray(index * every, (index + 1) * every),
      )
      scene.answers.a = (_request, response) => sendEvents(response, pieces)
      const reply = await askContent(scene, config(), { body: ask(), rest: { path: streamPath } })
      expect(reply.text, `every ${every}`).to.equal(all.join(''))
      expect(reply.headers.get('content-type')).to.equal('text/event-stream')
    }
    expect(scene.seen('a').path).to.equal('/a/v1/models/test-model:streamGenerateContent?alt=sse')
    expect(scene.seen('a').json).to.deep.equal(ask())
    expect(scene.gateway.logs.at(-1)).to.include({
      endpoint: 'generateContent',
      prompt_tokens: 3,
      completion_tokens: 2,
    })
  })

  it('ends a stream that breaks off with an error event', async () => {
    scene.answers.a = (_request, response) => sendEvents(response, events('one', 'two').slice(0, 1))
    const reply = await askContent(scene, config(), { body: ask(), rest: { path: streamPath } })
    const [first, last] = reply.text.split(/\r?\n\r?\n/)
    expect(first).to.contain('one')
    expect(JSON.parse(last?.replace('data: ', '') ?? '')).to.deep.include({
      error: {
        code: 502,
        message: 'The provider ended the stream prematurely.',
        status: 'UNAVAILABLE',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'upstream_invalid_response',
            domain: 'gateway',
          },
        ],
      },
    })
  })

  it('returns an error inside a stream as an error', async () => {
    const error = { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' }
    scene.answers.a = (_request, response) =>
      sendEvents(response, [...events('one', 'two').slice(0, 1), event({ error })])
    const reply = await askContent(scene, config(), { body: ask(), rest: { path: streamPath } })
    expect(reply.text).to.contain('"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"')
  })

  it('logs the tokens with thoughts and cached tokens', async () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      toolUsePromptTokenCount: 3,
      totalTokenCount: 115,
    }
    scene.answers.a = (_request, response) =>
      sendJson(response, 200, answer([{ text: 'x' }], { usageMetadata }))
    await askContent(scene, config())
    expect(scene.gateway.logs.at(-1)).to.include({ prompt_tokens: 103, completion_tokens: 12 })
  })

  it('counts tokens and creates embeddings there', async () => {
    scene.answers.a = (_request, response) => sendJson(response, 200, { totalTokens: 31 })
    const counted = await askContent(scene, config(), { body: ask(), rest: { path: pathOf('countTokens') } })
    expect(counted.body).to.deep.equal({ totalTokens: 31 })
    expect(scene.seen('a').json).to.deep.equal(ask())
    const systemInstruction = { parts: [{ text: 'be kind' }] }
    const whole = { generateContentRequest: { model: 'models/other', ...ask(), systemInstruction } }
    await askContent(scene, config(), { body: whole, rest: { path: pathOf('countTokens') } })
    expect(scene.seen('a').json).to.deep.equal({
      generateContentRequest: { ...whole.generateContentRequest, model: 'models/test-model' },
    })

    const vectors = { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] }
    scene.answers.a = (_request, response) => sendJson(response, 200, vectors)
    const content = { parts: [{ text: 'x' }] }
    const requests = [{ model: 'models/@slug/other', content, taskType: 'RETRIEVAL_QUERY' }]
    const many = await askContent(scene, config(), {
      body: { requests },
      rest: { path: pathOf('batchEmbedContents') },
    })
    expect(many.body).to.deep.equal(vectors)
    expect(scene.seen('a').json).to.deep.equal({ requests: [{ ...requests[0], model: 'models/test-model' }] })
    scene.answers.a = (_request, response) => sendJson(response, 200, { embedding: { values: [1] } })
    const one = await askContent(scene, config(), {
      body: { content, taskType: 'X' },
      rest: { path: pathOf('embedContent') },
    })
    expect(one.body).to.deep.equal({ embedding: { values: [1] } })
    expect(scene.seen('a').json).to.deep.equal({ content, taskType: 'X' })
  })

  it('gives a call of another model a placeholder if the model requires a signature', async () => {
    scene.answers.a = says('ok')
    const call = { functionCall: { id: 'call_1', name: 'look', args: {} } }
    const contents = [
      { role: 'user', parts: [{ text: 'look' }] },
      { role: 'model', parts: [call] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'call_1', name: 'look', response: { output: 'x' } } }],
      },
    ]
    const modelOf = (model: string) => ({ path: pathOf('generateContent', model) })
    await askContent(scene, config(), { body: { contents }, rest: modelOf('gemini-3-flash') })
    expect(scene.seen('a').json?.contents).to.deep.equal(
      contents.with(1, {
        role: 'model',
        parts: [{ ...call, thoughtSignature: 'skip_thought_signature_validator' } as never],
      }),
    )
    await askContent(scene, config(), { body: { contents }, rest: modelOf('gemini-2.5-flash') })
    expect(scene.seen('a').json?.contents).to.deep.equal(contents)
  })

  it('sets generation parameters under their names in chat completions', async () => {
    scene.answers.a = says('ok')
    const generationConfig = {
      temperature: 1,
      topP: 0.5,
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
    }
    const override_params = { temperature: 0, top_p: null, max_tokens: 9, stop: 'x', reasoning_effort: null }
    await askContent(scene, config({ override_params }), { body: ask('x', { generationConfig }) })
    expect(scene.seen('a').json).to.deep.equal(
      ask('x', {
        generationConfig: {
          temperature: 0,
          maxOutputTokens: 9,
          stopSequences: ['x'],
          thinkingConfig: { includeThoughts: true },
        },
      }),
    )
  })

  describe('in Vertex AI', () => {
    const vertex = () =>
      scene.leaf('v', {
        provider: 'vertex-ai',
        cloudC_project_id: 'project-1',
        cloudC_region: 'europe-west4',
      })
    const location = '/v/v1/projects/project-1/locations/europe-west4/publishers'
    const modelOf = (action: string, model: string) => ({ path: pathOf(action, model) })

    it('forwards contents to Gemini models', async () => {
      scene.answers.v = says('o', 'k')
      await askContent(scene, vertex(), {
        body: ask('x', { novelty: 1 }),
        rest: modelOf('generateContent', 'gemini-2.5-flash'),
      })
      expect(scene.seen('v').path).to.equal(`${location}/google/models/gemini-2.5-flash:generateContent`)
      expect(scene.seen('v').json).to.deep.equal(ask('x', { novelty: 1 }))
      const path = `${pathOf('streamGenerateContent', 'gemini-2.5-flash')}?alt=sse`
      const streamed = await askContent(scene, vertex(), { body: ask(), rest: { path } })
      expect(streamed.text).to.equal(events('o', 'k').join(''))
    })

    it('translates contents for models of its partners', async () => {
      scene.answers.v = (_request, response) =>
        sendJson(response, 200, {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-6',
          content: [{ type: 'text', text: 'hi' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1 },
        })
      const reply = await askContent(scene, vertex(), {
        body: ask(),
        rest: modelOf('generateContent', 'claude-sonnet-4-6'),
      })
      expect(reply.status, reply.text).to.equal(200)
      expect(scene.seen('v').path).to.equal(`${location}/anthropic/models/claude-sonnet-4-6:rawPredict`)
      expect(reply.body).to.have.nested.property('candidates[0].content.parts[0].text', 'hi')
    })

    it('counts tokens there, and creates embeddings with models that accept contents', async () => {
      scene.answers.v = (_request, response) => sendJson(response, 200, { totalTokens: 4 })
      const body = ask('x', { systemInstruction: { parts: [{ text: 'be kind' }] } })
      await askContent(scene, vertex(), { body, rest: modelOf('countTokens', 'gemini-2.5-flash') })
      expect(scene.seen('v').path).to.equal(`${location}/google/models/gemini-2.5-flash:countTokens`)
      expect(scene.seen('v').json).to.deep.equal(body)
      scene.answers.v = (_request, response) => sendJson(response, 200, { embedding: { values: [1] } })
      const content = { parts: [{ text: 'x' }] }
      const one = await askContent(scene, vertex(), {
        body: { content },
        rest: modelOf('embedContent', 'gemini-embedding-2'),
      })
      expect(one.body).to.deep.equal({ embedding: { values: [1] } })
      const statistics = { truncated: false, token_count: 1 }
      scene.answers.v = (_request, response) =>
        sendJson(response, 200, { predictions: [{ embeddings: { values: [2], statistics } }] })
      const old = await askContent(scene, vertex(), {
        body: { content },
        rest: modelOf('embedContent', 'text-embedding-005'),
      })
      expect(old.body, old.text).to.deep.include({ embedding: { values: [2] } })
    })
  })

  it('reserves the tokens that a request allows', () => {
    const body = ask('12345678', { generationConfig: { maxOutputTokens: 100, candidateCount: 2 } })
    const usage = estimateUsage({ estimate: null }, endpointOf('generateContent'), { model: 'm', ...body })
    expect([usage.promptTokens, usage.completionTokens]).to.deep.equal([2, 200])
  })
})
