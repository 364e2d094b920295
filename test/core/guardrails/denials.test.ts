/** Denials that a person can read, and that no client repeats. */
import { expect } from 'chai'
import { denialMessage } from '#core/guardrails/denial-message'
import type { HookResult } from '#flow/hook-result'
import { eventsOf } from '../../plugins/dialect-responses/scene.ts'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { chatEvents, sendEvents } from '../../support/upstream.ts'
import { asKey, limitedKey } from '../metering/limits/scene.ts'

const noSecrets = {
  id: 'no-secrets',
  deny: true,
  checks: [{ id: 'default.regexMatch', parameters: { rule: 'sk-\\w{4}', not: true } }],
}

const codexHeaders = [{ originator: 'codex_cli_rs' }, { 'user-agent': 'codex_cli_rs/0.90.0 (Linux; x86_64)' }]

describe('a denial', () => {
  const scene = openScene(() => ({
    api_keys: [
      limitedKey({ usage_limits: { type: 'requests', credit_limit: 1 } }, 'gw-denials-spent'),
      limitedKey({ name: 'team 500', usage_limits: { type: 'requests', credit_limit: 1 } }, 'gw-denials-500'),
    ],
  }))
  before(async () => {
    for (const key of ['gw-denials-spent', 'gw-denials-500'])
      await scene.ask(scene.leaf('a'), { headers: asKey(key) })
  })
  const denied = { path: '/v1/responses', body: { model: 'm', input: 'my key is sk-1234' } }
  const config = () => scene.leaf('a', { input_guardrails: [noSecrets] })

  for (const [path, body] of [
    ['/v1/chat/completions', chat('my key is sk-1234')],
    ['/v1/messages', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'sk-1234' }] }],
    [denied.path, denied.body],
  ] as const) {
    it(`on ${path} names the guardrail and its check, and is not to be repeated`, async () => {
      const reply = await scene.ask(config(), { path, body })
      expect(reply.status).to.equal(446)
      expect(reply.error.message).to.equal(
        'Guardrail "no-secrets" denied the request: it matches a disallowed pattern (default.regexMatch).',
      )
      expect(reply.headers.get('x-should-retry')).to.equal('false')
    })
  }

  it('of an answer names it, too', async () => {
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents('sk-', '1234'))
    const reply = await scene.ask(scene.leaf('a', { output_guardrails: [noSecrets] }), {
      body: chat('x', { stream: true }),
    })
    expect(reply.status).to.equal(446)
    expect(reply.error.message).to.equal(
      'Guardrail "no-secrets" denied the answer: it matches a disallowed pattern (default.regexMatch).',
    )
    expect(reply.headers.get('x-should-retry')).to.equal('false')
  })

  it('inside a stream has the header from the beginning', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index} `)
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents(...words, 'sk-', '1234'))
    const reply = await scene.ask(scene.leaf('a', { output_guardrails: [noSecrets] }), {
      body: chat('x', { stream: true }),
    })
    expect(reply.status).to.equal(200)
    expect(reply.text).to.include('Guardrail \\"no-secrets\\" denied the answer')
    expect(reply.headers.get('x-should-retry')).to.equal('false')
  })

  it('is not announced by a stream that nothing can deny', async () => {
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents('hi'))
    const guardrail = { ...noSecrets, deny: false }
    const reply = await scene.ask(scene.leaf('a', { output_guardrails: [guardrail] }), {
      body: chat('x', { stream: true }),
    })
    expect(reply.headers.get('x-should-retry')).to.equal(null)
  })

  it('because of a budget is not to be repeated', async () => {
    const reply = await scene.ask(scene.leaf('a'), { headers: asKey('gw-denials-spent') })
    expect([reply.status, reply.headers.get('x-should-retry')]).to.deep.equal([412, 'false'])
  })

  it('because of a rate limit or an outage may be repeated', async () => {
    scene.answers.a = 429
    expect((await scene.ask(scene.leaf('a'))).headers.get('x-should-retry')).to.equal(null)
    expect((await scene.ask({ provider: 'unheard-of' })).headers.get('x-should-retry')).to.equal(null)
  })

  for (const headers of codexHeaders) {
    const [name = ''] = Object.keys(headers)

    it(`ends the attempts of Codex, recognised by ${name}, with a failed response`, async () => {
      const reply = await scene.ask(config(), {
        path: denied.path,
        body: { ...denied.body, stream: true },
        headers: headers as Record<string, string>,
      })
      expect([reply.status, reply.headers.get('x-should-retry')]).to.deep.equal([200, 'false'])
      const events = eventsOf(reply as never)
      expect(events.map(({ type }) => type)).to.deep.equal(['response.created', 'response.failed'])
      expect(events[1]).to.have.deep.nested.property('response.error', {
        code: 'invalid_prompt',
        message:
          'Guardrail "no-secrets" denied the request: it matches a disallowed pattern (default.regexMatch).',
      })
      expect(events[1]).to.have.nested.property('hook_results.before_request_hooks[0].id', 'no-secrets')
      expect(scene.gateway.logs.at(-1)).to.include({ status: 446 })
    })

    it(`of a budget ends them as well, by ${name}`, async () => {
      const reply = await scene.ask(scene.leaf('a'), {
        path: denied.path,
        body: { model: 'm', input: 'x', stream: true },
        headers: { ...asKey('gw-denials-spent'), ...headers } as Record<string, string>,
      })
      expect(reply.status).to.equal(200)
      expect(eventsOf(reply as never).at(-1)).to.have.nested.property('response.error.code', 'invalid_prompt')
    })
  }

  // The tests of OpenCode 1.18.33 on the body and the message, from its session/retry.ts.
  const openCodeRepeats =
    /429|500|502|503|504|524|rate.limit|too many requests|overloaded|service unavailable|internal error|server error|terminated|try again/i
  const openCode = { 'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.1 runtime/bun/1.3.4' }

  it('has no word or number for which OpenCode repeats a call, and reads the same', async () => {
    const named = { ...noSecrets, id: 'rate limit 50429' }
    for (const stream of [true, false]) {
      const body = chat('my key is sk-1234', { stream })
      const reply = await scene.ask(scene.leaf('a', { input_guardrails: [named] }), {
        body,
        headers: openCode,
      })
      expect(reply.status).to.equal(446)
      expect(reply.text).to.not.match(openCodeRepeats)
      expect(reply.error.message ?? '').to.not.match(openCodeRepeats)
      expect(reply.error.message?.replaceAll('\u2060', '')).to.equal(
        'Guardrail "rate limit 50429" denied the request: it matches a disallowed pattern (default.regexMatch).',
      )
    }
  })

  it('because of the budget of a team 500 has no number for which OpenCode repeats a call', async () => {
    const headers = { ...asKey('gw-denials-500'), ...openCode }
    const reply = await scene.ask(scene.leaf('a'), { headers })
    expect(reply.status).to.equal(412)
    expect(reply.text).to.not.match(openCodeRepeats)
    expect(reply.error.message?.replaceAll('\u2060', '')).to.match(/ of API key "team 500" is exhausted/)
    const other = await scene.ask(scene.leaf('a'), { headers: asKey('gw-denials-500') })
    expect(other.error.message).to.match(/ of API key "team 500" is exhausted/)
  })

  it('inside a stream has no word for which OpenCode repeats a call', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index} `)
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents(...words, 'sk-', '1234'))
    const leaf = scene.leaf('a', { output_guardrails: [{ ...noSecrets, id: 'try again later' }] })
    const reply = await scene.ask(leaf, { body: chat('x', { stream: true }), headers: openCode })
    expect(reply.text.replaceAll('\u2060', '')).to.include(
      'Guardrail \\"try again later\\" denied the answer',
    )
    expect(reply.text.slice(reply.text.indexOf('"error"'))).to.not.match(openCodeRepeats)
  })

  it('in the middle of a stream ends the attempts of Codex, too', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index} `)
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents(...words, 'sk-', '1234'))
    const leaf = scene.leaf('a', { provider: 'groq', output_guardrails: [noSecrets] })
    const body = { model: 'm', input: 'x', stream: true }
    const reply = await scene.ask(leaf, { path: denied.path, body, headers: { originator: 'codex_exec' } })
    const events = eventsOf(reply as never)
    const last = events.at(-1)
    expect(last).to.include({ type: 'response.failed', sequence_number: events.length - 1 })
    expect(last).to.have.nested.property('response.error.code', 'invalid_prompt')
    const other = await scene.ask(leaf, { path: denied.path, body })
    expect(eventsOf(other as never).at(-1)).to.include({ type: 'error', code: 'guardrail_denied' })
  })

  it('keeps its status for other clients, and for Codex without a stream', async () => {
    const streamed = { ...denied.body, stream: true }
    expect((await scene.ask(config(), { path: denied.path, body: streamed })).status).to.equal(446)
    const headers = { originator: 'codex_cli_rs' }
    expect((await scene.ask(config(), { ...denied, headers })).status).to.equal(446)
  })
})

describe('the message of a denial', () => {
  const result = (more: Partial<HookResult>): HookResult => ({
    id: 'no-secrets',
    verdict: false,
    deny: true,
    async: false,
    type: 'guardrail',
    execution_time: 1,
    transformed: false,
    feedback: null,
    checks: [],
    ...more,
  })
  const check = (data: unknown, more = {}) => ({
    id: 'default.regexMatch',
    verdict: false,
    data,
    error: null,
    execution_time: 1,
    transformed: false,
    ...more,
  })
  const denial = (data: unknown, more = {}) =>
    denialMessage('before', [result({ verdict: true, deny: false }), result({ checks: [check(data, more)] })])

  const messages: [what: string, told: string, expected: string][] = [
    [
      "the check's explanation",
      denial({ explanation: 'It contains an API key.' }),
      'Guardrail "no-secrets" denied the request: it contains an API key (default.regexMatch).',
    ],
    [
      'an abbreviation at its beginning',
      denial({ explanation: 'PII was found' }),
      'Guardrail "no-secrets" denied the request: PII was found (default.regexMatch).',
    ],
    [
      'a reason',
      denial({ reason: 'jwt_missing' }),
      'Guardrail "no-secrets" denied the request: jwt_missing (default.regexMatch).',
    ],
    ['no explanation', denial(null), 'Guardrail "no-secrets" denied the request (default.regexMatch).'],
    [
      'a check that failed to run',
      denial(null, { error: { name: 'Error', message: 'The check took longer than 5 ms.' } }),
      'Guardrail "no-secrets" denied the request: the check failed with the check took longer than 5 ms (default.regexMatch).',
    ],
    [
      'a mutator',
      denialMessage('after', [result({ type: 'mutator', checks: [check(null)] })]),
      'Mutator "no-secrets" denied the answer (default.regexMatch).',
    ],
    [
      'a guardrail that denies what passes',
      denialMessage('before', [
        result({ verdict: true, checks: [check({ explanation: 'x' }, { verdict: true })] }),
      ]),
      'Guardrail "no-secrets" denied the request: x (default.regexMatch).',
    ],
    ['no results', denialMessage('after', []), 'A guardrail denied the answer.'],
  ]
  for (const [what, told, expected] of messages) {
    it(`has ${what}`, () => expect(told).to.equal(expected))
  }

  it('is short for any text of the check', () => {
    expect(denial({ explanation: 'a'.repeat(5000) }).length).to.be.below(500)
  })
})
