/** The usage of a call in each format: the same counts under different names. */

import { noteUsage } from '@gateway/contract'
import { addUsage, noUsage, type StreamFormat, type Usage } from '@gateway/contract/dialect'
import { expect } from 'chai'
import { compatibleFormat } from '#streaming/compatible-format'
import { rawUsageOf } from '#streaming/watch-usage'
import { formatOf } from '../../support/endpoints.ts'

const messages = formatOf('messages')
const responses = formatOf('createModelResponse')
const speech = formatOf('createSpeech')

describe('usage', () => {
  const rows: [what: string, format: StreamFormat, body: object, expected: Partial<Usage>][] = [
    [
      'of chats, with all of its parts',
      compatibleFormat,
      {
        usage: {
          prompt_tokens: 20,
          completion_tokens: 10,
          prompt_tokens_details: { cached_tokens: 5, audio_tokens: 3 },
          completion_tokens_details: {
            reasoning_tokens: 4,
            audio_tokens: 1,
            accepted_prediction_tokens: 2,
            rejected_prediction_tokens: 1,
          },
        },
      },
      {
        promptTokens: 20,
        completionTokens: 10,
        cachedTokens: 5,
        promptAudioTokens: 3,
        reasoningTokens: 4,
        completionAudioTokens: 1,
        acceptedPredictionTokens: 2,
        rejectedPredictionTokens: 1,
      },
    ],
    [
      'of messages, which count cached input separately',
      messages,
      {
        usage: {
          input_tokens: 3,
          output_tokens: 2,
          cache_read_input_tokens: 5,
          cache_creation_input_tokens: 7,
          cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
          server_tool_use: { web_search_requests: 2 },
        },
      },
      {
        promptTokens: 15,
        completionTokens: 2,
        cachedTokens: 5,
        cacheWriteTokens: 7,
        cacheWriteHourTokens: 4,
        units: { web_search: 2 },
      },
    ],
    [
      'of responses, with the searches among their output',
      responses,
      {
        output: [{ type: 'web_search_call' }, { type: 'message' }, { type: 'file_search_call' }],
        usage: {
          input_tokens: 20,
          output_tokens: 10,
          input_tokens_details: { cached_tokens: 5 },
          output_tokens_details: { reasoning_tokens: 4 },
        },
      },
      {
        promptTokens: 20,
        completionTokens: 10,
        cachedTokens: 5,
        reasoningTokens: 4,
        units: { web_search: 1, file_search: 1 },
      },
    ],
    [
      'of images',
      formatOf('imageGenerate'),
      {
        usage: {
          input_tokens: 8,
          output_tokens: 6,
          input_tokens_details: { image_tokens: 5, text_tokens: 3 },
          output_tokens_details: { image_tokens: 6 },
        },
      },
      { promptTokens: 8, completionTokens: 6, promptImageTokens: 5, completionImageTokens: 6 },
    ],
    [
      'of audio by the second',
      speech,
      { usage: { type: 'duration', seconds: 12.5 } },
      { units: { audio_second: 12.5 } },
    ],
    [
      'of nonsense as nothing',
      compatibleFormat,
      { usage: { prompt_tokens: -4, completion_tokens: '9' } },
      {},
    ],
  ]
  for (const [what, format, body, expected] of rows) {
    it(what, () => {
      expect(format.usageOf(body as never, null)).to.deep.equal({ ...noUsage, ...expected })
    })
  }

  it('includes counts that a dialect recorded outside the JSON body', () => {
    const usage = noteUsage(
      { prompt_tokens: 9, completion_tokens: 1 },
      { cacheWriteTokens: 6, cacheWriteHourTokens: 2, webSearches: 1 },
    )
    expect(compatibleFormat.usageOf({ usage }, null)).to.deep.equal({
      ...noUsage,
      promptTokens: 9,
      completionTokens: 1,
      cacheWriteTokens: 6,
      cacheWriteHourTokens: 2,
      units: { web_search: 1 },
    })
    expect(JSON.stringify(usage)).to.equal('{"prompt_tokens":9,"completion_tokens":1}')
    expect({ ...usage }).to.deep.equal({ prompt_tokens: 9, completion_tokens: 1 })
  })

  it('of a message stream comes from its first and its last event', () => {
    const start = {
      type: 'message_start',
      message: { usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 } },
    }
    const end = { type: 'message_delta', usage: { output_tokens: 9 } }
    const first = messages.usageOf(start, null)
    expect(messages.usageOf(end, first)).to.deep.equal({
      ...noUsage,
      promptTokens: 7,
      cachedTokens: 4,
      completionTokens: 9,
    })
  })

  it('of a forwarded body is read in any format', () => {
    const counts = (body: object) => {
      const usage = rawUsageOf(body)
      return [usage?.promptTokens, usage?.completionTokens, usage?.cachedTokens]
    }
    expect(counts({ usage: { prompt_tokens: 3, completion_tokens: 2 } })).to.deep.equal([3, 2, 0])
    expect(counts({ response: { usage: { input_tokens: 3, output_tokens: 2 } } })).to.deep.equal([3, 2, 0])
    expect(
      counts({ usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 4 } }),
    ).to.deep.equal([7, 2, 4])
  })

  it('of several attempts is their sum', () => {
    const one = { ...noUsage, promptTokens: 1, units: { web_search: 1 } }
    const other = { ...noUsage, promptTokens: 2, reasoningTokens: 3, units: { web_search: 2, image: 1 } }
    expect(addUsage(one, other)).to.deep.equal({
      ...noUsage,
      promptTokens: 3,
      reasoningTokens: 3,
      units: { web_search: 3, image: 1 },
    })
  })
})
