/**
 * Error answers.
 * Source: https://ai.google.dev/gemini-api/docs/troubleshooting, https://cloud.google.com/apis/design/errors
 */
import { geminiDialect } from '@gateway/provider-kit'
import { expect } from 'chai'

describe('Gemini errors', () => {
  it('keep status, message, type and reason', () => {
    const error = {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'API_KEY_INVALID',
          domain: 'googleapis.com',
        },
      ],
    }
    expect(geminiDialect.error?.(400, { error }, {})).to.deep.equal({
      status: 400,
      message: 'API key not valid. Please pass a valid API key.',
      type: 'INVALID_ARGUMENT',
      param: null,
      code: 'API_KEY_INVALID',
    })
  })

  it('can lack details', () => {
    expect(geminiDialect.error?.(503, { error: { code: 503, message: 'Overloaded' } }, {})).to.deep.equal({
      status: 503,
      message: 'Overloaded',
      type: 'upstream_error',
      param: null,
      code: 'upstream_error',
    })
  })

  for (const body of [{}, { error: 'text' }, { error: { code: 400 } }]) {
    it(`are not found in ${JSON.stringify(body)}`, () => {
      expect(geminiDialect.error?.(500, body, {})).to.equal(null)
    })
  }
})
