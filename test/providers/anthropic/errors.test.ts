/**
 * Errors, as answers and inside streams.
 * Source: https://platform.claude.com/docs/en/api/errors
 */
import { anthropicDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { runStream, translatorOf } from '../fixtures/streams.ts'
import { upstreamErrorOf } from '../fixtures/thrown.ts'
import { event, start, textBlock } from './fixtures/streams.ts'

const bodyOf = (error: { type: string; message: string; details?: { error_code: string } }) => ({
  type: 'error',
  error,
  request_id: 'req_1',
})

describe('Anthropic errors', () => {
  it('keep status, message and type', () => {
    const error = bodyOf({ type: 'rate_limit_error', message: 'Slow down' })
    expect(anthropicDialect.error?.(429, error, {})).to.deep.equal({
      status: 429,
      message: 'Slow down',
      type: 'rate_limit_error',
      param: null,
      code: 'upstream_error',
    })
  })

  it('keep the code in the details', () => {
    const error = bodyOf({
      type: 'invalid_request_error',
      message: 'No',
      details: { error_code: 'thread_not_found' },
    })
    expect(anthropicDialect.error?.(400, error, {})).to.include({ code: 'thread_not_found' })
  })

  for (const body of [{}, { type: 'error' }, { error: 'text' }, { error: { type: 'api_error' } }]) {
    it(`are not found in ${JSON.stringify(body)}`, () => {
      expect(anthropicDialect.error?.(500, body, {})).to.equal(null)
    })
  }

  const types: [string, number][] = [
    ['invalid_request_error', 400],
    ['authentication_error', 401],
    ['billing_error', 402],
    ['permission_error', 403],
    ['not_found_error', 404],
    ['conflict_error', 409],
    ['request_too_large', 413],
    ['rate_limit_error', 429],
    ['api_error', 500],
    ['timeout_error', 504],
    ['overloaded_error', 529],
    ['error_of_tomorrow', 502],
    ['toString', 502],
  ]
  for (const [type, status] of types) {
    it(`inside a stream have status ${status} for ${type}`, () => {
      const fault = upstreamErrorOf(() =>
        runStream(translatorOf(anthropicDialect), [
          start,
          ...textBlock(0, 'Hel'),
          event({ type: 'error', error: { type, message: 'Broke off' } }),
        ]),
      )
      expect(fault).to.deep.equal({ status, message: 'Broke off', type, param: null, code: 'upstream_error' })
    })
  }

  it('inside a stream can lack a message', () => {
    const fault = upstreamErrorOf(() => runStream(translatorOf(anthropicDialect), [event({ type: 'error' })]))
    expect(fault).to.include({ status: 502, type: 'upstream_error' })
  })
})
