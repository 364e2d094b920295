/**
 * What Google's errors say about quotas and retries. The bodies are those of the Gemini API.
 * Source: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto,
 * https://ai.google.dev/gemini-api/docs/rate-limits
 */

import type { Json, JsonObject } from '@gateway/contract'
import { geminiDialect, withGoogleErrors } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { stopClock } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { type Handler, sendJson } from '../../support/upstream.ts'

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`
const retryInfo = (retryDelay: Json) => ({ '@type': type('RetryInfo'), retryDelay })
const quota = (quotaId: string, rest: JsonObject = {}) => ({
  quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
  quotaId,
  quotaDimensions: { location: 'global', model: 'gemini-2.5-flash' },
  ...rest,
})
const quotaFailure = (...violations: Json[]) => ({ '@type': type('QuotaFailure'), violations })
const perMinute = quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', { quotaValue: '10' })
const perDay = quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', { quotaValue: '250' })
const exhausted = (...details: Json[]) => ({
  error: { code: 429, message: 'You exceeded your current quota.', status: 'RESOURCE_EXHAUSTED', details },
})

const read = (...details: Json[]) => geminiDialect.error?.(429, exhausted(...details), {})

const json = fc.jsonValue().map((value) => value as Json)

const answer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, index: 0, finishReason: 'STOP' }],
}
const refuses =
  (...details: Json[]): Handler =>
  (_request, response) =>
    sendJson(response, 429, exhausted(...details))
const answers: Handler = (_request, response) => sendJson(response, 200, answer)

describe('the details of Google’s errors', () => {
  for (const [delay, seconds] of [
    ['31s', '31'],
    ['1.681228270s', '2'],
    ['0s', '0'],
    ['200000s', '86400'],
  ] as const)
    it(`become retry-after: ${delay}`, () => {
      expect(read(retryInfo(delay))?.headers).to.deep.equal({ 'retry-after': seconds })
    })

  it('become the headers of the quotas per minute, which are used up until the retry', () => {
    const tokens = quota('GenerateContentPaidTierInputTokensPerModelPerMinute', { quotaValue: '1000000' })
    expect(read(quotaFailure(perMinute, tokens), retryInfo('31s'))?.headers).to.deep.equal({
      'retry-after': '31',
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '31',
      'x-ratelimit-limit-input-tokens': '1000000',
      'x-ratelimit-remaining-input-tokens': '0',
      'x-ratelimit-reset-input-tokens': '31',
    })
  })

  it('say nothing without a time to retry, or with one that is not valid', () => {
    for (const details of [
      [],
      [quotaFailure(perMinute)],
      [retryInfo('-3s')],
      [retryInfo('3')],
      [retryInfo(3)],
      [retryInfo('9'.repeat(40))],
    ])
      expect(read(...details)).not.to.have.property('headers')
  })

  it('never make an error of any body, nor other headers than numbers', () => {
    assertProperty(
      fc.property(json, fc.array(json), json, (delay, violations, value) => {
        const headers = read(
          retryInfo(delay),
          { violations },
          quotaFailure({ ...perMinute, quotaValue: value }),
        )
        for (const text of Object.values(headers?.headers ?? {})) expect(text).to.match(/^\d{1,15}$/)
      }),
    )
  })

  it('are read in the errors of other formats on Vertex AI', () => {
    const formats = withGoogleErrors(() => ({
      ...{ status: 429, message: 'Quota exceeded', type: 'rate_limit_error', param: null, code: 'quota' },
    }))
    expect(formats(429, exhausted(retryInfo('5s')), {})).to.deep.include({
      type: 'rate_limit_error',
      headers: { 'retry-after': '5' },
    })
    expect(withGoogleErrors(() => null)(429, exhausted(retryInfo('5s')), {})).to.deep.include({
      type: 'RESOURCE_EXHAUSTED',
      headers: { 'retry-after': '5' },
    })
  })
})

describe('a Gemini target at its quota', () => {
  const scene = openScene((origin) => ({
    providers: Object.fromEntries(
      ['a', 'b'].map((name) => [
        name,
        { provider: 'google', api_key: `AIza-${name}-secret`, custom_host: `${origin}/${name}/v1beta` },
      ]),
    ),
  }))
  const clock = stopClock()
  let model = ''
  let count = 0
  beforeEach(() => {
    count += 1
    model = `gemini-${count}`
  })
  const leaf = (name: string, extra = {}) => ({ provider: `@${name}`, ...extra })
  const both = { strategy: { mode: 'fallback' }, targets: [leaf('a'), leaf('b')] }
  const ask = (config: unknown) => clock.run(scene.ask(config, { body: chat('hello', { model }) }))
  const called = () => scene.calls().join('')

  it('is skipped until the time that its error names', async () => {
    scene.answers = { a: [refuses(quotaFailure(perMinute), retryInfo('31s')), answers], b: answers }
    const refused = await ask(leaf('a'))
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '31'])
    expect((await ask(both)).status).to.equal(200)
    const skipped = await ask(leaf('a'))
    expect([skipped.error.code, skipped.headers.get('retry-after')]).to.deep.equal([
      'capacity_exhausted',
      '31',
    ])
    expect(called()).to.equal('ab')
    await clock.tick(31_000)
    expect((await ask(leaf('a'))).status).to.equal(200)
  })

  it('is retried after that time if retries follow it', async () => {
    scene.answers = { a: [refuses(retryInfo('7s')), answers] }
    const retry = { attempts: 1, on_status_codes: [429], use_retry_after_headers: true }
    expect((await ask(leaf('a', { retry }))).status).to.equal(200)
    expect([clock.waits.includes(7000), called()]).to.deep.equal([true, 'aa'])
  })

  it('is not retried for a daily quota, however short the delay in the error is', async () => {
    clock.jump(new Date().setUTCHours(44, 0, 0, 0) - Date.now())
    scene.answers = { a: refuses(quotaFailure(perDay), retryInfo('1s')) }
    const retry = { attempts: 3, on_status_codes: [429], use_retry_after_headers: true }
    const refused = await ask(leaf('a', { retry }))
    expect([refused.status, called()]).to.deep.equal([429, 'a'])
    // 20:00 UTC is noon, or 13:00 in summer.
    expect(Number(refused.headers.get('retry-after'))).to.be.within(39_590, 43_200)
    await clock.tick(60_000)
    expect((await ask(leaf('a'))).error.code).to.equal('capacity_exhausted')
  })
})
