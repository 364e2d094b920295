/** The first lines of a log entry explain why the request failed and how the gateway reacted. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { accessibilityFaults, settled } from './browser.ts'
import { firstOf, maker } from './furnish.ts'
import { useConsole } from './suite.ts'
import { loadWebModule } from './web-module.ts'

type Row = Record<string, unknown>

interface AttemptOptions {
  status: number | null
  reason: string
  fault?: string | null
}

const attempt = (provider: string, { status, reason, fault = null }: AttemptOptions) => ({
  path: 'config',
  provider,
  model: 'm',
  status,
  fault,
  reason,
})
const error = (message: string, code: string) => ({ body: { error: { message, code } } })

const cases: readonly { title: string; row: Row; expected: readonly string[] }[] = [
  {
    title: 'an answer after a retry and a fallback',
    row: {
      response_status_code: 200,
      response_time: 900,
      cost: 12.5,
      attempts: [
        attempt('a', { status: 503, reason: 'first' }),
        attempt('a', { status: null, reason: 'retry', fault: 'timeout' }),
        attempt('b', { status: 200, reason: 'fallback' }),
      ],
      decisions: [{ step: 'retry', wait_ms: 400 }],
    },
    expected: [
      'Retried a/m, because a/m returned 503 (service unavailable).',
      'Fell back to b/m, because a/m did not answer in time.',
      'Waited 400 ms before retries.',
      'Answered by b/m in 900 ms for $0.1250.',
    ],
  },
  {
    title: 'a stream that failed after it began',
    row: {
      response_status_code: 200,
      error_code: 'upstream_unreachable',
      response_time: 900,
      cost: 12.5,
      attempts: [attempt('a', { status: 200, reason: 'first' })],
    },
    expected: [
      'The stream ended with an error: upstream_unreachable.',
      'Answered by a/m in 900 ms for $0.1250.',
    ],
  },
  {
    title: 'an error of a provider',
    row: {
      response_status_code: 503,
      response: error('overloaded', 'upstream_error'),
      attempts: [attempt('a', { status: 503, reason: 'first' })],
    },
    expected: ['503 upstream_error: overloaded', 'The last attempt: a/m returned 503 (service unavailable).'],
  },
  {
    title: 'a denial by a guardrail',
    row: {
      response_status_code: 446,
      response: error('denied', 'guardrail_denied'),
      hook_results: {
        before_request_hooks: [
          {
            id: 'no-secrets',
            verdict: false,
            deny: true,
            checks: [{ id: 'default.contains', verdict: false }],
          },
        ],
      },
    },
    expected: [
      '446 guardrail_denied: denied',
      'The guardrail no-secrets denied the request: default.contains.',
      'No provider was called.',
    ],
  },
  {
    title: 'an answer that was only logged here',
    row: {
      response_status_code: 200,
      response_time: 900,
      cost: 12.5,
      ai_org: 'openai',
      ai_model: 'gpt-4o',
      attempts: [],
    },
    expected: ['Answered by openai/gpt-4o in 900 ms for $0.1250.'],
  },
  {
    title: 'a limit',
    row: {
      response_status_code: 429,
      response: error('too many', 'rate_limit_exceeded'),
      decisions: [{ step: 'limit', param: 'policies/rate-limits/slow', admitted: false }],
    },
    expected: [
      '429 rate_limit_exceeded: too many',
      'The rate limit slow refused the request.',
      'No provider was called.',
    ],
  },
]

describe('the cause in a log entry', function () {
  const suite = useConsole(this)
  let causeOf: (row: Row) => string[]
  before(async () => {
    ;({ causeOf } = await loadWebModule<{ causeOf: typeof causeOf }>('parts/log-cause.ts'))
  })

  for (const { title, row, expected } of cases)
    it(`names ${title}`, () => expect(causeOf(row)).to.deep.equal(expected))

  it('is at the top of the page, to which the filter for all errors leads', async () => {
    const { page, gateway } = suite
    const guardrail = await maker(gateway)('/v1/guardrails', {
      workspace_id: 'default',
      name: 'No passwords',
      checks: [{ id: 'default.contains', parameters: { words: ['password'], operator: 'none' } }],
      actions: { deny: true },
    })
    const config = { 'x-gateway-config': JSON.stringify({ input_guardrails: [guardrail.slug] }) }
    await gateway.post('/v1/chat/completions', { ...chat('fine'), model: '@echo/fine' }, config)
    await gateway.post('/v1/chat/completions', { ...chat('password'), model: '@echo/denied' }, config)
    await firstOf(gateway, '/v1/logs?status_code_min=400')
    await suite.open('Logs')
    await page.getByLabel('Status', { exact: true }).selectOption('errors')
    const table = page.getByRole('table', { name: 'Logs' })
    await table.getByText('446', { exact: true }).waitFor()
    await settled(page)
    expect(await table.getByRole('row').count()).to.equal(2)
    await table.getByRole('link').first().click()
    await settled(page, 'Log entry')
    const cause = page.getByRole('region', { name: 'What happened' })
    expect(await cause.getByRole('listitem').first().textContent()).to.match(
      /^446 .*No passwords|^446 .*denied/i,
    )
    expect((await cause.boundingBox())?.y).to.be.below(400)
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })
})
