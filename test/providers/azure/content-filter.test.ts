/**
 * Streams of Azure OpenAI with annotations of the content filter between the chunks.
 * Source: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { type ContextOptions, createContext } from '../fixtures/context.ts'
import { dataEvent, runStream, translatorOf } from '../fixtures/streams.ts'
import { upstreamErrorOf } from '../fixtures/thrown.ts'
import { endpointOf } from './fixtures.ts'

const { dialect } = endpointOf({ provider: 'azure-openai', resource_name: 'r' })
const run = (events: readonly (JsonObject | string)[], options: ContextOptions = {}) =>
  runStream(translatorOf(dialect, options), events.map(dataEvent))

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o' }
const chunk = (choice: JsonObject): JsonObject => ({
  ...head,
  choices: [{ index: 0, finish_reason: null, ...choice }],
})
const prompt: JsonObject = {
  id: '',
  object: '',
  created: 0,
  model: '',
  choices: [],
  prompt_filter_results: [
    { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
  ],
}
const text = chunk({ delta: { content: 'Hi' }, content_filter_results: {} })
const offsets = chunk({ content_filter_results: {}, content_filter_offsets: { check_offset: 1 } })
const last = chunk({ delta: {}, finish_reason: 'stop' })
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }

describe('Azure OpenAI streams', () => {
  it('drop chunks that contain only annotations', () => {
    const { chunks, done } = run([prompt, text, last, '[DONE]'])
    expect(chunks).to.deep.equal([text, last])
    expect(done).to.equal(true)
  })

  it('keep them without strict compliance', () => {
    expect(run([prompt, text, last, '[DONE]'], { strict: false }).chunks).to.deep.equal([prompt, text, last])
  })

  for (const strict of [true, false]) {
    it(`contain a delta in every choice, strict: ${strict}`, () => {
      const [annotated] = run([offsets, '[DONE]'], { strict }).chunks
      expect(annotated).to.deep.equal(
        chunk({ delta: {}, content_filter_results: {}, content_filter_offsets: { check_offset: 1 } }),
      )
    })
  }

  it('contain the usage once at the end, when it was requested', () => {
    const told = { ...head, choices: [], usage }
    expect(run([prompt, text, last, told, '[DONE]'], { includeUsage: true }).chunks).to.deep.equal([
      text,
      last,
      told,
    ])
    expect(run([prompt, text, last, told, '[DONE]']).chunks).to.deep.equal([text, last])
  })

  it('are not complete when they break off', () => {
    expect(run([prompt, text]).done).to.equal(false)
  })

  it('end with an error event in the stream', () => {
    const error = {
      error: { message: 'Too long', type: 'server_error', param: null, code: 'content_filter' },
    }
    expect(upstreamErrorOf(() => run([text, error]))).to.include({
      message: 'Too long',
      code: 'content_filter',
    })
  })

  it('of text completions contain a text in every choice', () => {
    const completion = endpointOf({ provider: 'azure-openai', resource_name: 'r' }, 'complete').dialect
    const bare = { ...head, object: 'text_completion', choices: [{ index: 0, content_filter_results: {} }] }
    const { chunks } = runStream(translatorOf(completion), [
      dataEvent(prompt),
      dataEvent(bare),
      dataEvent('[DONE]'),
    ])
    expect(chunks).to.deep.equal([{ ...bare, choices: [{ text: '', index: 0, content_filter_results: {} }] }])
  })
})

describe('Azure OpenAI errors', () => {
  it('of the content filter keep code and parameter', () => {
    const body = {
      error: {
        message: 'The response was filtered due to the prompt triggering the content management policy.',
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: {} },
      },
    }
    const error = dialect.error?.(400, body, {})
    expect(error).to.include({ status: 400, param: 'prompt', code: 'content_filter' })
  })

  it('of the API gateway in front of the service are parsed', () => {
    const error = dialect.error?.(
      401,
      { statusCode: 401, message: 'Unauthorized. Access token is missing.' },
      {},
    )
    expect(error).to.include({ status: 401, message: 'Unauthorized. Access token is missing.' })
  })

  it('leave other answers unchanged', () => {
    const answer = {
      ...head,
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' } }],
      prompt_filter_results: [],
    }
    expect(dialect.answer(answer, createContext())).to.equal(answer)
  })
})
