/** Vendors' errors for a request that is too long. Sources: their pages about errors, and reports of their answers. */
import type { UpstreamError } from '@gateway/contract'
import { expect } from 'chai'
import { contextLengthWordings, withContextLength } from '#kit/context-length'

const error = (message: string, more: Partial<UpstreamError> = {}): UpstreamError => ({
  status: 400,
  message,
  type: 'upstream_error',
  param: null,
  code: 'upstream_error',
  ...more,
})

const said: [message: string, tokens: number | null, maximum: number | null][] = [
  ['prompt is too long: 214850 tokens > 200000 maximum', 214_850, 200_000],
  [
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    209_573,
    200_000,
  ],
  ['The prompt is too long: 12345, model maximum context length: 8192', 12_345, 8192],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    4104,
    4096,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
    8545,
    8192,
  ],
  [
    "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 5 for the completion).",
    10_346,
    8191,
  ],
  [
    "This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens (1227853 of text input, 353 of tool input, 65535 in the output).",
    1_293_741,
    1_048_576,
  ],
  ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 5000, 4096],
  [
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    1_196_265,
    1_048_575,
  ],
  [
    'Unable to submit request because the input token count is 1234567 but model only supports up to 1048576.',
    1_234_567,
    1_048_576,
  ],
  ['Too many input tokens. Max input tokens: 8192, request input token count: 9279', 9279, 8192],
  ['Input is too long for requested model.', null, null],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    40_000,
    32_768,
  ],
  [
    'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    9000,
    8192,
  ],
  ['Please reduce the length of the messages or completion.', null, null],
  [
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.',
    4292,
    4081,
  ],
  ['too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs.', null, null],
  [
    'request (12345 tokens) exceeds the available context size (8192 tokens), try increasing it',
    12_345,
    8192,
  ],
  ['the request exceeds the available context size. try increasing the context size', null, null],
  ['the input length exceeds the context length', null, null],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
    5512,
    4097,
  ],
  ['Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)', 9000, 8192],
  ['Invalid request: Your request exceeded model token limit: 8192', null, 8192],
  ['prompt token count of 128001 exceeds the limit of 128000', 128_001, 128_000],
  [
    'The estimated number of input and maximum output tokens (40000) exceeded this model context window limit (32000).',
    40_000,
    32_000,
  ],
  ['Range of input length should be [1, 30720]', null, 30_720],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
    289_650,
    272_000,
  ],
  ['Prompt exceeds max length', null, null],
  ['invalid params, context window exceeds limit', null, null],
  ['Your input exceeds the context window of this model. Please adjust your input.', null, null],
  [
    "This model's maximum context length is 131072 tokens. Please reduce the length of the prompt",
    null,
    131_072,
  ],
  ['Context length exceeded', null, null],
  ['tokens to keep from the initial prompt is greater than the context length', null, null],
]

describe('a provider that says that a request is too long', () => {
  for (const [message, tokens, maximum] of said) {
    it(`is understood: ${message.slice(0, 90)}`, () => {
      expect(withContextLength(error(message)).tooLong).to.deep.equal({ tokens, maximum })
    })
  }

  it('is understood by each wording of the table', () => {
    const met = said.map(([message]) => contextLengthWordings.findIndex(({ says }) => says.test(message)))
    expect([...new Set(met)].sort((one, other) => one - other)).to.deep.equal(
      contextLengthWordings.map((_, index) => index),
    )
  })

  it('is recognised by its code, with any message', () => {
    const { tooLong } = withContextLength(error('too big', { code: 'context_length_exceeded' }))
    expect(tooLong).to.deep.equal({ tokens: null, maximum: null })
    const byType = withContextLength(error('too big', { type: 'exceed_context_size_error' }))
    expect(byType).to.have.property('tooLong')
  })

  const others: [what: string, error: UpstreamError][] = [
    [
      'a rate limit',
      error('Too many input tokens. Max input tokens: 1, request input token count: 2', { status: 429 }),
    ],
    ['a refused key', error('prompt is too long', { status: 401 })],
    ['another fault', error('max_tokens: 9999 > 8192, which is the maximum allowed number of output tokens')],
    ['a long value', error('Invalid value: string too long. Expected a string with maximum length 64')],
  ]
  for (const [what, given] of others) {
    it(`is not confused with ${what}`, () => {
      expect(withContextLength(given)).to.equal(given)
    })
  }
})
