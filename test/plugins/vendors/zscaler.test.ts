/** Zscaler AI Guard. The answers are those of the vendor's SDK: zscaler-sdk-python, zaiguard/models/policy_detection.py */

import plugin from '@gateway/plugin-zscaler'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeDiscretion, describeFaults, runOnce } from './support.ts'

const check = checkOf(plugin, 'aiGuard')

const answer = (action: string, more: object = {}) => ({
  transactionId: 'txn-1',
  statusCode: 200,
  errorMsg: null,
  detectorErrorCount: 0,
  action,
  severity: 'CRITICAL',
  direction: 'IN',
  detectorResponses: {
    toxicity: { statusCode: 200, triggered: false, action: 'ALLOW', details: {} },
    pii: { statusCode: 200, triggered: true, action, details: { found: 'my card is 4111' } },
  },
  throttlingDetails: [],
  ...more,
})

const data = (action: string) => ({
  action,
  severity: 'CRITICAL',
  transactionId: 'txn-1',
  detectors: [{ name: 'pii', action }],
})

const io = (reply: unknown, settings = { apiKey: 'k' }) => ({ settings, ...answering(reply) })
const parameters = { policyId: 12 }
const text = 'my card is 4111'

describeChecks(
  plugin,
  casesOf('aiGuard', [
    { name: 'passes allowed text', text, parameters, io: io(answer('ALLOW')), verdict: true },
    {
      name: 'passes text that was only detected, and reports it',
      text,
      parameters,
      io: io(answer('DETECT')),
      verdict: true,
      data: data('DETECT'),
    },
    {
      name: 'fails blocked text',
      text,
      parameters,
      io: io(answer('BLOCK')),
      verdict: false,
      data: data('BLOCK'),
    },
    {
      name: 'fails a blocked text even if a detector failed',
      text,
      parameters,
      io: io(answer('BLOCK', { detectorErrorCount: 1 })),
      verdict: false,
    },
    { name: 'asks nothing about no text', text: ' ', parameters, io: io(null), verdict: true },
    {
      name: 'wants a key',
      text,
      parameters,
      io: io(answer('ALLOW'), {} as never),
      error: 'apiKey is missing',
    },
    { name: 'wants a policy', text, io: io(answer('ALLOW')), error: 'policyId' },
  ]),
)

const run = (origin: string) => ({ settings: { apiKey: 'k', baseUrl: `${origin}/` }, parameters, text })

describe('zscaler.aiGuard at the vendor', () => {
  for (const [name, own, sent] of [
    ['a number', 12, 12],
    ['a number as text', '12', 12],
    ['a text', 'policy-a', 'policy-a'],
  ] as const)
    it(`sends the text, the direction and the policy: ${name}`, async () => {
      const { seen } = await runOnce(
        check,
        () => ({ json: answer('ALLOW') }),
        (origin) => ({ ...run(origin), parameters: { policyId: own, apiKey: 'mine' } }),
      )
      expect(seen).to.have.length(1)
      expect(seen[0]).to.deep.include({
        method: 'POST',
        path: '/v1/detection/execute-policy',
        json: { policyId: sent, direction: 'IN', content: text },
      })
      expect(seen[0]?.headers.authorization).to.equal('Bearer mine')
    })

  it('sends the answer with its direction', async () => {
    const { seen, verdict } = await runOnce(
      check,
      () => ({ json: answer('BLOCK') }),
      (origin) => ({ ...run(origin), phase: 'after' }),
    )
    expect(seen[0]?.json).to.include({ direction: 'OUT', content: text })
    expect(verdict).to.equal(false)
  })

  it('sends only the last message when set so', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'last' },
    ]
    for (const [scope, content] of [
      ['last', 'last'],
      ['all', 'be kind\nlast'],
    ]) {
      const { seen } = await runOnce(
        check,
        () => ({ json: answer('ALLOW') }),
        (origin) => ({
          ...run(origin),
          parameters: { policyId: 1, scope: scope ?? '' },
          request: { messages },
        }),
      )
      expect(seen[0]?.json?.content).to.equal(content)
    }
  })

  it('calls the cloud in the settings', async () => {
    const urls: string[] = []
    for (const cloud of [undefined, 'eu1'])
      await check
        .prepare({ policyId: 1 } as never, { apiKey: 'k', ...(cloud === undefined ? {} : { cloud }) })
        .run(
          { phase: 'before', text: 'x' } as never,
          {
            fetchJson: async ({ url }: { url: string }) => {
              urls.push(url)
              return { status: 200, headers: {}, json: answer('ALLOW') }
            },
          } as never,
        )
    expect(urls).to.deep.equal([
      'https://api.us1.zseclipse.net/v1/detection/execute-policy',
      'https://api.eu1.zseclipse.net/v1/detection/execute-policy',
    ])
  })
})

describeDiscretion(check, () => ({ json: answer('ALLOW') }), { run })

describeFaults(check, run, {
  'an error inside of a 200': { json: { statusCode: 403, errorMsg: 'no such policy' } },
  'an unknown action': { json: answer('MAYBE') },
  'a detector that failed': { json: answer('ALLOW', { detectorErrorCount: 2 }) },
  'a detector that was held back': { json: answer('ALLOW', { throttlingDetails: [{ rlcId: 1 }] }) },
})
