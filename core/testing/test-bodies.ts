/**
 * Bodies of every kind of request and answer around one text, as a check receives them at its endpoints. The first of
 * each list are the usual ones; bodies without text are included because a check must handle them.
 */
import type { EndpointId, JsonObject } from '@gateway/contract'
import { hasEndpoint } from './endpoints.ts'

export interface TestBody {
  endpoint: EndpointId
  body: JsonObject
}

/** The number of bodies to use when each one costs time. */
export const usualBodies = 5

const model = 'test-model'
const image = { type: 'image_url', image_url: { url: 'https://images.example/a.png' } }

/** The bodies of installed endpoints: a dialect may be missing. */
const installed = (bodies: readonly TestBody[]): TestBody[] =>
  bodies.filter(({ endpoint }) => hasEndpoint(endpoint))

/** Requests with this text. */
export const requestsWith = (text: string): TestBody[] => installed(allRequests(text))

/** Answers with this text. */
export const answersWith = (text: string): TestBody[] => installed(allAnswers(text))

const allRequests = (text: string): TestBody[] => [...conversationsWith(text), ...othersWith(text)]

const chat = (...messages: JsonObject[]): TestBody => ({
  endpoint: 'chatComplete',
  body: { model, messages },
})

const toolCallWith = (text: string): JsonObject => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'send', arguments: JSON.stringify({ text }) },
})

/** Requests with a conversation. */
function conversationsWith(text: string): TestBody[] {
  return [
    chat({ role: 'user', content: text }),
    chat(
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text }, image] },
    ),
    { endpoint: 'complete', body: { model, prompt: [text] } },
    {
      endpoint: 'messages',
      body: {
        model,
        max_tokens: 10,
        system: text,
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }] }],
      },
    },
    { endpoint: 'createModelResponse', body: { model, instructions: text, input: text } },
    chat(
      { role: 'user', content: 'Send it.' },
      { role: 'assistant', content: null, tool_calls: [toolCallWith(text)] },
      { role: 'tool', tool_call_id: 'call_1', content: text },
    ),
    chat({ role: 'user', content: [image] }),
    chat(),
    {
      endpoint: 'chatComplete',
      body: {
        model,
        messages: [],
        tools: [{ type: 'function', function: { name: 'send', description: text } }],
      },
    },
    {
      endpoint: 'createModelResponse',
      body: {
        model,
        input: [
          { role: 'user', content: [{ type: 'input_text', text }] },
          { type: 'function_call', call_id: 'c', name: 'send', arguments: JSON.stringify({ text }) },
          { type: 'function_call_output', call_id: 'c', output: text },
        ],
      },
    },
    {
      endpoint: 'generateContent',
      body: {
        model,
        systemInstruction: { parts: [{ text }] },
        contents: [
          { role: 'user', parts: [{ text }, { functionResponse: { name: 'send', response: { text } } }] },
        ],
      },
    },
    { endpoint: 'embedContent', body: { model, content: { parts: [{ text }] } } },
    { endpoint: 'countTokens', body: { model, messages: [{ role: 'user', content: text }] } },
  ]
}

const othersWith = (text: string): TestBody[] => [
  { endpoint: 'embed', body: { model, input: text } },
  { endpoint: 'embed', body: { model, input: [1, 2, 3] } },
  { endpoint: 'imageGenerate', body: { prompt: text } },
  { endpoint: 'imageEdit', body: { model, prompt: text } },
  { endpoint: 'rerank', body: { model, query: text, documents: [text, { text }] } },
  { endpoint: 'createSpeech', body: { model, input: text, voice: 'a' } },
  { endpoint: 'createTranscription', body: { model } },
  { endpoint: 'moderate', body: { input: [text] } },
  { endpoint: 'proxy', body: { deep: [{ text }] } },
]

function allAnswers(text: string): TestBody[] {
  const choice = (message: JsonObject): TestBody => ({
    endpoint: 'chatComplete',
    body: { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }] },
  })
  return [
    choice({ content: text }),
    choice({
      content: null,
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'send', arguments: JSON.stringify({ text }) } },
      ],
    }),
    { endpoint: 'complete', body: { choices: [{ index: 0, text }] } },
    {
      endpoint: 'messages',
      body: { type: 'message', role: 'assistant', content: [{ type: 'text', text }] },
    },
    {
      endpoint: 'createModelResponse',
      body: {
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
      },
    },
    {
      endpoint: 'generateContent',
      body: {
        candidates: [
          {
            content: { role: 'model', parts: [{ text }, { functionCall: { name: 'send', args: { text } } }] },
          },
        ],
      },
    },
    choice({ content: null, refusal: text }),
    { endpoint: 'chatComplete', body: { choices: [] } },
    { endpoint: 'chatComplete', body: {} },
    {
      endpoint: 'messages',
      body: { content: [{ type: 'tool_use', id: 't', name: 'send', input: { text } }] },
    },
    { endpoint: 'embed', body: { data: [{ index: 0, embedding: [0.5] }] } },
    {
      endpoint: 'imageGenerate',
      body: { data: [{ url: 'https://images.example/a.png', revised_prompt: text }] },
    },
    { endpoint: 'rerank', body: { results: [{ index: 0, relevance_score: 1 }] } },
    { endpoint: 'createTranscription', body: { text } },
    { endpoint: 'moderate', body: { results: [] } },
    { endpoint: 'proxy', body: { deep: [{ text }] } },
  ]
}
