/**
 * Chat requests → the generic format.
 * Source: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/GenericChatRequest
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, chatOf, detailsOf, user, weather } from './fixtures.ts'

const text = (value: string): JsonObject => ({ type: 'TEXT', text: value })
const said = (role: string, ...values: string[]): JsonObject => ({ role, content: values.map(text) })
const png = 'data:image/png;base64,iVBORw0='

describe('Oracle details', () => {
  it('contain only the required members for the smallest request', () => {
    expect(detailsOf({})).to.deep.equal({
      servingMode: { servingType: 'ON_DEMAND', modelId: 'xai.grok-4' },
      chatRequest: { apiFormat: 'GENERIC', messages: [said('USER', 'Hi')] },
    })
  })

  const stored: [string, JsonObject, JsonObject][] = [
    [
      'the compartment and the model',
      { oracle_tenancy: 't', oracle_compartment_id: 'c' },
      { compartmentId: 'c', servingMode: { servingType: 'ON_DEMAND', modelId: 'xai.grok-4' } },
    ],
    ['the root compartment', { oracle_tenancy: 't' }, { compartmentId: 't' }],
    [
      'a dedicated endpoint by the model’s name',
      { oracle_serving_mode: 'DEDICATED' },
      { servingMode: { servingType: 'DEDICATED', endpointId: 'xai.grok-4' } },
    ],
    [
      'a dedicated endpoint of the stored credential',
      { oracle_serving_mode: 'DEDICATED', oracle_endpoint_id: 'ocid1.endpoint' },
      { servingMode: { servingType: 'DEDICATED', endpointId: 'ocid1.endpoint' } },
    ],
  ]
  for (const [what, configurations, members] of stored) {
    it(`contain ${what}`, () => {
      expect(detailsOf({}, { settings: { provider: 'oracle', configurations } })).to.deep.include(members)
    })
  }

  const formats: [string, JsonObject, string][] = [
    ['meta.llama-3.3-70b-instruct', {}, 'GENERIC'],
    ['cohere.command-a-03-2025', {}, 'COHERE'],
    ['cohere.command-a-vision', {}, 'COHEREV2'],
    ['cohere.command-a-reasoning', {}, 'COHEREV2'],
    ['ocid1.generativeaiendpoint.oc1', { oracle_api_format: 'COHERE' }, 'COHERE'],
  ]
  for (const [model, configurations, format] of formats) {
    it(`are ${format} for ${model}`, () => {
      const chat = chatOf({ model }, { settings: { provider: 'oracle', configurations } })
      expect(chat.apiFormat).to.equal(format)
    })
  }
})

describe('Oracle generic requests', () => {
  const parameters: [string, JsonObject, JsonObject][] = [
    ['max_tokens', { max_tokens: 5 }, { maxTokens: 5 }],
    ['max_completion_tokens', { max_completion_tokens: 9, max_tokens: 5 }, { maxTokens: 9 }],
    [
      'the bound of OpenAI’s own models',
      { model: 'openai.gpt-5', max_tokens: 5 },
      { maxCompletionTokens: 5 },
    ],
    ['the bound of its open models', { model: 'openai.gpt-oss-120b', max_tokens: 5 }, { maxTokens: 5 }],
    ['no bound for Meta’s models', { model: 'meta.llama-3.3-70b-instruct' }, { maxTokens: 4000 }],
    [
      'sampling',
      { temperature: 1.5, top_p: 0.5, top_k: 3, seed: 7 },
      { temperature: 1.5, topP: 0.5, topK: 3, seed: 7 },
    ],
    [
      'penalties',
      { frequency_penalty: -1, presence_penalty: 2 },
      { frequencyPenalty: -1, presencePenalty: 2 },
    ],
    ['n', { n: 2 }, { numGenerations: 2 }],
    ['stop as text', { stop: 'END' }, { stop: ['END'] }],
    ['stop as a list', { stop: ['A', 'B'] }, { stop: ['A', 'B'] }],
    ['logprobs', { logprobs: true, top_logprobs: 3 }, { logProbs: 3 }],
    ['logprobs of the chosen token', { logprobs: true }, { logProbs: 1 }],
    ['no logprobs', { logprobs: false }, {}],
    [
      'logit_bias and metadata',
      { logit_bias: { 5: 1 }, metadata: { a: 'b' } },
      { logitBias: { 5: 1 }, metadata: { a: 'b' } },
    ],
    [
      'effort and verbosity',
      { reasoning_effort: 'low', verbosity: 'high' },
      { reasoningEffort: 'LOW', verbosity: 'HIGH' },
    ],
    ['the highest effort', { reasoning_effort: 'xhigh' }, { reasoningEffort: 'HIGH' }],
    ['no effort of tomorrow', { reasoning_effort: 'constructor' }, {}],
    ['stream', { stream: true }, { isStream: true }],
    ['JSON mode', { response_format: { type: 'json_object' } }, { responseFormat: { type: 'JSON_OBJECT' } }],
    ['text', { response_format: { type: 'text' } }, { responseFormat: { type: 'TEXT' } }],
    [
      'a JSON schema',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'n', strict: true, schema: { type: 'object' } },
        },
      },
      {
        responseFormat: {
          type: 'JSON_SCHEMA',
          jsonSchema: { name: 'n', isStrict: true, schema: { type: 'object' } },
        },
      },
    ],
    [
      'web search',
      {
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: { city: 'Rome', country: 'IT' } },
        },
      },
      { webSearchOptions: { searchContextSize: 'LOW', userLocation: { city: 'Rome', country: 'IT' } } },
    ],
    [
      'what the service has no word for',
      { user: 'u', store: true, service_tier: 'auto', prediction: {} },
      {},
    ],
  ]
  for (const [what, given, sent] of parameters) {
    it(`translate ${what}`, () => {
      const { apiFormat: _, messages: __, ...rest } = chatOf(given)
      expect(rest).to.deep.equal(sent)
    })
  }

  it('request usage when the caller did', () => {
    expect(chatOf({ stream: true }, { includeUsage: true }).streamOptions).to.deep.equal({
      isIncludeUsage: true,
    })
  })

  it('contain tools with schemas that the service supports', () => {
    const parameters: JsonObject = {
      type: 'object',
      properties: {
        at: { $ref: '#/$defs/place' },
        when: { anyOf: [{ type: 'null' }, { type: 'string' }], description: 'A day' },
        self: { $ref: '#/$defs/loop' },
        kind: { enum: ['$ref', 'anyOf'] },
      },
      required: ['at'],
      $defs: {
        place: { type: 'object', properties: { city: { type: 'string' } } },
        loop: { type: 'object', properties: { next: { $ref: '#/$defs/loop' } } },
      },
    }
    const [tool] = chatOf({ tools: [{ type: 'function', function: { name: 'f', parameters } }] })
      .tools as JsonObject[]
    expect(tool).to.deep.include({ type: 'FUNCTION', name: 'f' })
    expect(tool).to.deep.nested.include({
      'parameters.properties.at': { type: 'object', properties: { city: { type: 'string' } } },
      'parameters.properties.when': { type: 'string', description: 'A day' },
      'parameters.properties.kind': { enum: ['$ref', 'anyOf'] },
      'parameters.required': ['at'],
    })
    expect(JSON.stringify(tool)).to.not.contain('#/$defs')
  })

  const choices: [JsonObject['x'], JsonObject][] = [
    ['auto', { type: 'AUTO' }],
    ['none', { type: 'NONE' }],
    ['required', { type: 'REQUIRED' }],
    [
      { type: 'function', function: { name: 'get_weather' } },
      { type: 'FUNCTION', name: 'get_weather' },
    ],
  ]
  for (const [choice, sent] of choices) {
    it(`select tools by ${JSON.stringify(choice)}`, () => {
      const { toolChoice, isParallelToolCalls } = chatOf({
        tools: [weather],
        tool_choice: choice,
        parallel_tool_calls: false,
      })
      expect({ toolChoice, isParallelToolCalls }).to.deep.equal({
        toolChoice: sent,
        isParallelToolCalls: false,
      })
    })
  }

  it('support the legacy functions as tools', () => {
    const chat = chatOf({
      functions: [weather.function as JsonObject],
      function_call: { name: 'get_weather' },
      messages: [
        user,
        { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{}' } },
        { role: 'function', name: 'get_weather', content: '20' },
      ],
    })
    expect(chat.toolChoice).to.deep.equal({ type: 'FUNCTION', name: 'get_weather' })
    const [, assistant, result] = chat.messages as JsonObject[]
    const [call] = (assistant?.toolCalls ?? []) as JsonObject[]
    expect(result).to.deep.equal({ role: 'TOOL', toolCallId: call?.id, content: [text('20')] })
  })

  it('keep every message in order', () => {
    const { messages } = chatOf({
      messages: [
        { role: 'system', content: 'S' },
        { role: 'developer', content: [{ type: 'text', text: 'D' }] },
        { ...user, name: 'Ann' },
        {
          role: 'assistant',
          content: 'Looking',
          tool_calls: [callOf('a', 'f', '{"x":1}'), callOf('b', 'g', '')],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: '2' }] },
        { role: 'assistant', content: 'Done' },
      ],
    })
    expect(messages).to.deep.equal([
      said('SYSTEM', 'S'),
      said('SYSTEM', 'D'),
      { ...said('USER', 'Hi'), name: 'Ann' },
      {
        role: 'ASSISTANT',
        content: [text('Looking')],
        toolCalls: [
          { type: 'FUNCTION', id: 'a', name: 'f', arguments: '{"x":1}' },
          { type: 'FUNCTION', id: 'b', name: 'g', arguments: '{}' },
        ],
      },
      { ...said('TOOL', '1'), toolCallId: 'a' },
      { ...said('TOOL', '2'), toolCallId: 'b' },
      said('ASSISTANT', 'Done'),
    ])
  })

  it('have null content for calls without text', () => {
    for (const content of [null, '', []]) {
      const { messages } = chatOf({
        messages: [user, { role: 'assistant', content, tool_calls: [callOf('a', 'f', '{}')] }],
      })
      expect((messages as JsonObject[])[1]).to.have.property('content', null)
    }
  })

  it("send each result of Google's models as a separate message", () => {
    const messages = chatOf({
      model: 'google.gemini-2.5-pro',
      messages: [
        user,
        { role: 'assistant', content: 'Two', tool_calls: [callOf('a', 'f', '{}'), callOf('b', 'g', '{}')] },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
    }).messages as JsonObject[]
    const order = messages.map(({ role, toolCalls, toolCallId }) => [
      role,
      (toolCalls as JsonObject[] | undefined)?.[0]?.id ?? toolCallId,
    ])
    expect(order).to.deep.equal([
      ['USER', undefined],
      ['ASSISTANT', 'a'],
      ['TOOL', 'a'],
      ['ASSISTANT', 'b'],
      ['TOOL', 'b'],
    ])
  })

  it("keep the role developer for OpenAI's models", () => {
    const { messages } = chatOf({
      model: 'openai.gpt-5',
      messages: [{ role: 'developer', content: 'D' }, user],
    })
    expect((messages as JsonObject[])[0]).to.deep.equal(said('DEVELOPER', 'D'))
  })

  const media: [string, JsonObject, JsonObject][] = [
    [
      'an image',
      { type: 'image_url', image_url: { url: png, detail: 'high' } },
      { type: 'IMAGE', imageUrl: { url: png } },
    ],
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'mp3' } },
      { type: 'AUDIO', audioUrl: { url: 'data:audio/mp3;base64,UklGRg==' } },
    ],
    [
      'a document',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' } },
      { type: 'DOCUMENT', documentUrl: { url: 'data:application/pdf;base64,JVBERg==' } },
    ],
    [
      'a document in bare base64',
      { type: 'file', file: { file_data: 'JVBERg==' } },
      { type: 'DOCUMENT', documentUrl: { url: 'data:application/pdf;base64,JVBERg==' } },
    ],
    [
      'a film',
      { type: 'file', file: { file_data: 'data:video/mp4;base64,AAAA' } },
      { type: 'VIDEO', videoUrl: { url: 'data:video/mp4;base64,AAAA' } },
    ],
  ]
  for (const [what, part, sent] of media) {
    it(`contain ${what} next to text`, () => {
      const { messages } = chatOf({
        messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, part] }],
      })
      expect(messages).to.deep.equal([{ role: 'USER', content: [text('See'), sent] }])
    })
  }

  const refused: [string, JsonObject, string][] = [
    [
      'a file by id',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
      '/messages/0/content/0/file/file_data',
    ],
    [
      'an invalid image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      '/messages/0/content/0/image_url/url',
    ],
    [
      'a part that it does not know',
      { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      '/messages/0/content/0/type',
    ],
    [
      'an image of the system',
      { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: png } }] }] },
      '/messages/0/content/0/type',
    ],
    ['tools that are no functions', { tools: [{ type: 'custom', custom: {} }] }, '/tools/0/type'],
    ['a format that it does not know', { response_format: { type: 'grammar' } }, '/response_format/type'],
    ['no message', { messages: [] }, '/messages'],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what} with its path and the provider`, () => {
      const error = gatewayErrorOf(() => chatOf(body))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.contain('oracle')
    })
  }

  it('do not change their input', () => {
    const body: JsonObject = { messages: [user], tools: [weather], stop: ['a'] }
    const before = structuredClone(body)
    chatOf(body)
    expect(body).to.deep.equal(before)
  })
})
