/** `generateContent` at a provider that has only chat completions and embeddings. */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import {
  chatAnswer,
  chatChunk,
  chatEvents,
  type Handler,
  sendEvents,
  sendJson,
} from '../../support/upstream.ts'
import { ask, askContent, eventsOf, partsOf, pathOf, says, streamPath, targetOf, textOf } from './fixtures.ts'

const sse = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`
const usage = {
  prompt_tokens: 7,
  completion_tokens: 5,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
}
const usageEvent = sse({ choices: [], usage })

const message =
  (said: object, rest: object = {}): Handler =>
  (_request, response) =>
    sendJson(
      response,
      200,
      chatAnswer('', {
        choices: [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop', ...rest }],
      }),
    )

const call = (index: number, rest: object) => ({ tool_calls: [{ index, ...rest }] })

describe('generateContent at a provider with only chat completions', () => {
  const scene = openScene()
  const config = (extra = {}) => targetOf(scene, 'translated', { name: 'a', extra })
  const seen = () => scene.seen('a').json

  it('sends a chat completion request, and returns an answer with candidates', async () => {
    const reply = await askContent(scene, config(), {
      body: ask('hello', { systemInstruction: { parts: [{ text: 'be kind' }] } }),
    })
    expect(scene.seen('a').path).to.equal('/a/v1/chat/completions')
    expect(seen()).to.deep.equal({
      model: 'test-model',
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'hello' },
      ],
    })
    expect(reply.body).to.deep.equal({
      candidates: [{ content: { parts: [{ text: 'ok' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      modelVersion: 'test-model',
      responseId: 'chatcmpl-1',
    })
    expect(scene.gateway.logs.at(-1)).to.include({
      endpoint: 'generateContent',
      prompt_tokens: 3,
      completion_tokens: 2,
    })
  })

  it('accepts snake_case, and one object instead of a list', async () => {
    const body = {
      system_instruction: { parts: { text: 'be kind' } },
      contents: { parts: { inline_data: { mime_type: 'image/png', data: 'aGk=' } } },
      generation_config: {
        max_output_tokens: 5,
        response_mime_type: 'application/json',
        response_schema: {
          type: 'OBJECT',
          properties: { my_name: { type: 'STRING', nullable: true, min_length: '2' } },
        },
      },
      tools: [
        {
          function_declarations: [
            {
              name: 'look_up',
              parameters: { type: 'OBJECT', properties: { snake_case: { any_of: [{ type: 'INTEGER' }] } } },
            },
          ],
        },
      ],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['look_up'] } },
      safety_settings: [{ category: 'X', threshold: 'Y' }],
    }
    const reply = await askContent(scene, config(), { body })
    expect(reply.status, reply.text).to.equal(200)
    expect(seen()).to.deep.equal({
      model: 'test-model',
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] },
      ],
      max_completion_tokens: 5,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'output',
          schema: { type: 'object', properties: { my_name: { type: ['string', 'null'], minLength: 2 } } },
        },
      },
      tools: [
        {
          type: 'function',
          function: {
            name: 'look_up',
            parameters: { type: 'object', properties: { snake_case: { anyOf: [{ type: 'integer' }] } } },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'look_up' } },
    })
  })

  it('translates the parameters of a generation', async () => {
    const schema = {
      type: 'object',
      properties: { a_b: { type: 'string' } },
      required: ['a_b'],
      additionalProperties: false,
    }
    await askContent(scene, config({ provider: 'vllm' }), {
      body: ask('x', {
        generationConfig: {
          temperature: 0.5,
          topP: 0.9,
          topK: 3,
          candidateCount: 2,
          maxOutputTokens: 10,
          stopSequences: ['end'],
          seed: 4,
          presencePenalty: 0.1,
          frequencyPenalty: 0.2,
          responseLogprobs: true,
          logprobs: 2,
          responseMimeType: 'application/json',
          responseJsonSchema: schema,
          thinkingConfig: { thinkingBudget: 9000, includeThoughts: true },
          mediaResolution: 'LOW',
        },
      }),
    })
    expect(seen()).to.deep.include({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 3,
      n: 2,
      max_completion_tokens: 10,
      stop: ['end'],
      seed: 4,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      logprobs: true,
      top_logprobs: 2,
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } },
      reasoning_effort: 'medium',
    })
    for (const [thinkingConfig, effort] of [
      [{ thinkingBudget: 0 }, 'none'],
      [{ thinkingBudget: -1 }, undefined],
      [{ thinkingBudget: 100 }, 'low'],
      [{ thinkingBudget: 30_000 }, 'high'],
      [{ thinkingLevel: 'MINIMAL' }, 'minimal'],
      [{ thinkingLevel: 'high' }, 'high'],
      [{ includeThoughts: true }, undefined],
    ] as const) {
      await askContent(scene, config(), { body: ask('x', { generationConfig: { thinkingConfig } }) })
      expect(seen()?.reasoning_effort, JSON.stringify(thinkingConfig)).to.equal(effort)
    }
  })

  it('leaves out what override_params sets to null', async () => {
    const override_params = { reasoning_effort: null, stop: null, max_tokens: null }
    const generationConfig = {
      thinkingConfig: { thinkingBudget: 5000 },
      stopSequences: ['x'],
      maxOutputTokens: 3,
      seed: 1,
    }
    await askContent(scene, config({ override_params }), { body: ask('x', { generationConfig }) })
    expect(seen()).to.deep.equal({ model: 'test-model', messages: [{ role: 'user', content: 'x' }], seed: 1 })
  })

  it('streams, and requests usage from the provider', async () => {
    const all = chatEvents('Hel', 'lo')
    scene.answers.a = (_request, response) =>
      sendEvents(response, [...all.slice(0, -1), usageEvent, ...all.slice(-1)])
    const reply = await askContent(scene, config(), { body: ask(), rest: { path: streamPath } })
    expect(seen()).to.deep.include({ stream: true, stream_options: { include_usage: true } })
    expect(textOf(reply)).to.equal('Hello')
    const events = eventsOf(reply)
    expect(events).to.have.length(3)
    expect(events[0]).to.deep.equal({
      candidates: [{ content: { parts: [{ text: 'Hel' }], role: 'model' }, index: 0 }],
      modelVersion: 'test-model',
      responseId: 'chatcmpl-1',
    })
    expect(events[2]).to.deep.equal({
      candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 7,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 3,
        cachedContentTokenCount: 4,
        totalTokenCount: 12,
      },
      modelVersion: 'test-model',
      responseId: 'chatcmpl-1',
    })
    expect(reply.text).not.to.contain('[DONE]')
    expect(scene.gateway.logs.at(-1)).to.include({ prompt_tokens: 7, completion_tokens: 5 })
  })

  it('streams a JSON array without alt=sse', async () => {
    scene.answers.a = says('Hel', 'lo')
    const reply = await askContent(scene, config(), {
      body: ask(),
      rest: { path: pathOf('streamGenerateContent') },
    })
    expect(reply.headers.get('content-type')).to.equal('application/json')
    const items = JSON.parse(reply.text) as object[]
    expect(items.flatMap(partsOf).map(({ text }) => text)).to.deep.equal(['Hel', 'lo', ''])
    expect(scene.gateway.logs.at(-1)).to.include({ status: 200, endpoint: 'generateContent' })
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents('one').slice(0, 2))
    const broken = await askContent(scene, config(), {
      body: ask(),
      rest: { path: pathOf('streamGenerateContent') },
    })
    const [first, last] = JSON.parse(broken.text) as { error?: object }[]
    expect(partsOf(first)).to.deep.equal([{ text: 'one' }])
    expect(last?.error).to.include({ code: 502, status: 'UNAVAILABLE' })
  })

  const look = {
    functionDeclarations: [{ name: 'look', description: 'd', parametersJsonSchema: { type: 'object' } }],
  }

  it('calls functions, in parallel and in pieces', async () => {
    scene.answers.a = message({
      content: 'I look.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'c2', type: 'function', function: { name: 'look', arguments: '' } },
      ],
    })
    const parts = [
      { text: 'I look.' },
      { functionCall: { id: 'c1', name: 'look', args: { at: 1 } } },
      { functionCall: { id: 'c2', name: 'look', args: {} } },
    ]
    const whole = await askContent(scene, config(), { body: ask('x', { tools: [look] }) })
    expect(partsOf(whole.body)).to.deep.equal(parts)
    const chunks = [
      chatChunk({ content: 'I look.' }),
      chatChunk(call(0, { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a' } })),
      chatChunk(call(0, { function: { arguments: 't":1}' } })),
      chatChunk(call(1, { id: 'c2', type: 'function', function: { name: 'look', arguments: '' } })),
      chatChunk({}, 'tool_calls'),
    ]
    scene.answers.a = (_request, response) => sendEvents(response, [...chunks.map(sse), 'data: [DONE]\n\n'])
    const streamed = await askContent(scene, config(), {
      body: ask('x', { tools: [look] }),
      rest: { path: streamPath },
    })
    expect(eventsOf(streamed).flatMap(partsOf)).to.deep.equal(parts)
    expect(eventsOf(streamed).at(-1)?.candidates?.[0]?.finishReason).to.equal('STOP')
  })

  it('sends results back by id, by name and order, and with their media', async () => {
    const result = (name: string, rest: object) => ({ functionResponse: { name, ...rest } })
    const contents = [
      { role: 'user', parts: [{ text: 'look' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'b2YgdGhlIHZlbmRvcg==' },
          { functionCall: { name: 'look', args: { at: 2 } } },
          { functionCall: { id: 'call_0', name: 'hear', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          result('hear', { id: 'call_0', response: { loud: true } }),
          result('look', { id: 'made-by-the-client', response: { output: 'first' } }),
          result('look', {
            response: { result: 'second' },
            parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }],
          }),
          { text: 'and now?' },
        ],
      },
    ]
    const reply = await askContent(scene, config(), { body: { contents, tools: [look] } })
    expect(reply.status, reply.text).to.equal(200)
    const tool = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })
    expect(seen()?.messages).to.deep.equal([
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          tool('call_1', 'look', '{"at":1}'),
          tool('call_2', 'look', '{"at":2}'),
          tool('call_0', 'hear', '{}'),
        ],
      },
      { role: 'tool', tool_call_id: 'call_0', content: '{"loud":true}' },
      { role: 'tool', tool_call_id: 'call_1', content: 'first' },
      { role: 'tool', tool_call_id: 'call_2', content: 'second' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call call_2:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
          { type: 'text', text: 'and now?' },
        ],
      },
    ])
  })

  it('shows thoughts only on request, and returns them to the provider', async () => {
    scene.answers.a = message({ content: 'four', reasoning_content: 'two and two' })
    const thinking = ask('x', { generationConfig: { thinkingConfig: { includeThoughts: true } } })
    const parts = [{ text: 'two and two', thought: true }, { text: 'four' }]
    expect(partsOf((await askContent(scene, config(), { body: ask() })).body)).to.deep.equal([
      { text: 'four' },
    ])
    expect(partsOf((await askContent(scene, config(), { body: thinking })).body)).to.deep.equal(parts)
    const chunks = [
      chatChunk({ reasoning_content: 'two and two' }),
      chatChunk({ content: 'four' }),
      chatChunk({}, 'stop'),
    ]
    scene.answers.a = (_request, response) => sendEvents(response, [...chunks.map(sse), 'data: [DONE]\n\n'])
    const streamed = await askContent(scene, config(), { body: thinking, rest: { path: streamPath } })
    expect(eventsOf(streamed).flatMap(partsOf)).to.deep.equal([...parts, { text: '' }])
    scene.answers.a = says('ok')
    await askContent(scene, targetOf(scene, 'translated', { name: 'a', extra: { provider: 'deepseek' } }), {
      body: {
        contents: [
          ...(thinking.contents as object[]),
          { role: 'model', parts },
          { role: 'user', parts: [{ text: 'y' }] },
        ],
      },
    })
    const messages = seen()?.messages as { content: unknown; reasoning_content?: unknown }[]
    expect(messages[1]).to.deep.include({ content: 'four' })
  })

  for (const [why, body, param] of [
    ['a tool of the vendor alone', { tools: [{ codeExecution: {} }] }, '/tools/0/codeExecution'],
    ['a search that the provider lacks', { tools: [{ googleSearch: {} }] }, '/tools/0/googleSearch'],
    ['cached content', { cachedContent: 'cachedContents/1' }, '/cachedContent'],
    [
      'answers in another format',
      { generationConfig: { responseMimeType: 'text/x.enum' } },
      '/generationConfig/responseMimeType',
    ],
    [
      'audio',
      { generationConfig: { responseModalities: ['AUDIO'] } },
      '/generationConfig/responseModalities/0',
    ],
    [
      'a forced call without functions',
      { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      '/toolConfig/functionCallingConfig/mode',
    ],
    [
      'a file of the vendor',
      { contents: [{ parts: [{ fileData: { fileUri: 'gs://b/x.png' } }] }] },
      '/contents/0/parts/0/fileData/fileUri',
    ],
    ['an unknown part', { contents: [{ parts: [{ novelty: {} }] }] }, '/contents/0/parts/0/novelty'],
    [
      'a result without a call',
      { contents: [{ parts: [{ functionResponse: { name: 'x', response: {} } }] }] },
      '/contents/0/parts/0/functionResponse/name',
    ],
  ] as const)
    it(`refuses ${why}, with its path`, async () => {
      const reply = await askContent(scene, config(), { body: ask('x', body) })
      expect(reply.status).to.equal(400)
      expect(scene.calls()).to.deep.equal([])
      const { error } = reply.body as { error: { code: number; status: string; details: object[] } }
      expect(error).to.include({ code: 400, status: 'INVALID_ARGUMENT' })
      expect(error.details[0]).to.deep.include({ reason: 'invalid_body' })
      expect(error.details[1]).to.have.nested.property('fieldViolations[0].field', param)
    })

  it('leaves out tools of the vendor if there are functions, and reports it', async () => {
    const headers = { 'x-gateway-explain': 'true' }
    const body = ask('x', {
      tools: [look, { codeExecution: {}, googleSearch: {} }],
      safetySettings: [{ category: 'A' }],
    })
    const reply = await askContent(scene, config(), { body, rest: { headers } })
    expect(reply.status).to.equal(200)
    expect(seen()?.tools).to.have.length(1)
    const { decisions } = reply.body as { decisions: { step: string; left_out?: string[] }[] }
    const translated = decisions.find(({ step }) => step === 'translate')
    expect(translated?.left_out?.toSorted()).to.deep.equal([
      '/safetySettings',
      '/tools/1/codeExecution',
      '/tools/1/googleSearch',
    ])
  })

  it('reports a filter that removes the whole answer as a blocked prompt', async () => {
    scene.answers.a = message({ content: '' }, { finish_reason: 'content_filter' })
    const whole = await askContent(scene, config())
    expect(whole.body)
      .to.deep.include({ promptFeedback: { blockReason: 'SAFETY' } })
      .and.not.to.have.property('candidates')
    scene.answers.a = (_request, response) =>
      sendEvents(response, [sse(chatChunk({}, 'content_filter')), 'data: [DONE]\n\n'])
    const streamed = await askContent(scene, config(), { body: ask(), rest: { path: streamPath } })
    expect(eventsOf(streamed)).to.have.length(1)
    expect(eventsOf(streamed)[0]).to.deep.include({ promptFeedback: { blockReason: 'SAFETY' } })
    scene.answers.a = message({ content: 'half' }, { finish_reason: 'content_filter' })
    const cut = await askContent(scene, config())
    expect(cut.body).to.have.nested.property('candidates[0].finishReason', 'SAFETY')
    scene.answers.a = message({ content: 'half' }, { finish_reason: 'length' })
    expect((await askContent(scene, config())).body).to.have.nested.property(
      'candidates[0].finishReason',
      'MAX_TOKENS',
    )
  })

  it('returns several candidates and log probabilities', async () => {
    const logprobs = {
      content: [
        { token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }] },
      ],
    }
    scene.answers.a = (_request, response) =>
      sendJson(
        response,
        200,
        chatAnswer('', {
          choices: [
            { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop', logprobs },
            { index: 1, message: { role: 'assistant', content: 'b' }, finish_reason: 'stop' },
          ],
        }),
      )
    const reply = await askContent(scene, config(), {
      body: ask('x', { generationConfig: { candidateCount: 2 } }),
    })
    const { candidates } = reply.body as { candidates: { index: number; logprobsResult?: object }[] }
    expect(candidates.map(({ index }) => index)).to.deep.equal([0, 1])
    expect(candidates[0]?.logprobsResult).to.deep.equal({
      chosenCandidates: [{ token: 'a', logProbability: -1 }],
      topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
    })
  })

  it("reports a request that is too long with the format's own message", async () => {
    scene.answers.a = (_request, response) =>
      sendJson(response, 400, {
        error: {
          message:
            "This model's maximum context length is 1000 tokens. However, your messages resulted in 2000 tokens.",
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      })
    const reply = await askContent(scene, config())
    expect(reply.status).to.equal(400)
    expect(reply.error).to.deep.include({
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (2000) exceeds the maximum number of tokens allowed (1000).',
    })
  })

  it('forwards the retry delay', async () => {
    scene.answers.a = (_request, response) =>
      sendJson(
        response,
        { status: 429, headers: { 'retry-after': '7' } },
        { error: { message: 'slow', type: 'x', code: 'y' } },
      )
    const { error } = (await askContent(scene, config())).body as { error: { details: object[] } }
    expect(error).to.include({ code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow' })
    expect(error.details).to.deep.include({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '7s',
    })
  })

  it('estimates tokens', async () => {
    const reply = await askContent(scene, config(), {
      body: ask('twelve chars'),
      rest: { path: pathOf('countTokens') },
    })
    expect(reply.body).to.deep.equal({ totalTokens: 7 })
    expect(reply.headers.get('x-gateway-token-count')).to.equal('estimate')
    expect(scene.calls()).to.deep.equal([])
  })

  it('embeds one content and several', async () => {
    const data = [
      { index: 1, embedding: [3, 4] },
      { index: 0, embedding: [1, 2] },
    ]
    scene.answers.a = (_request, response) =>
      sendJson(response, 200, { object: 'list', data, usage: { prompt_tokens: 4, total_tokens: 4 } })
    const request = (text: string) => ({
      model: 'models/test-model',
      content: { parts: [{ text }] },
      outputDimensionality: 2,
      taskType: 'X',
    })
    const body = { requests: [request('one'), request('two')] }
    const many = await askContent(scene, config(), { body, rest: { path: pathOf('batchEmbedContents') } })
    expect(scene.seen('a').path).to.equal('/a/v1/embeddings')
    expect(seen()).to.deep.equal({ model: 'test-model', input: ['one', 'two'], dimensions: 2 })
    expect(many.body).to.deep.equal({
      embeddings: [{ values: [1, 2] }, { values: [3, 4] }],
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    })
    expect(scene.gateway.logs.at(-1)).to.include({ endpoint: 'batchEmbedContents', prompt_tokens: 4 })
    const one = await askContent(scene, config(), {
      body: { content: { parts: [{ text: 'one' }] } },
      rest: { path: pathOf('embedContent') },
    })
    expect(seen()).to.deep.equal({ model: 'test-model', input: 'one' })
    expect(one.body).to.deep.include({ embedding: { values: [1, 2] } })
  })
})
