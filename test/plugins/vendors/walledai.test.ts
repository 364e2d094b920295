/** Walled AI against a server that answers as https://github.com/walledai/walledai-python ("Response Shapes") says. */

import plugin from '@gateway/plugin-walledai'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorRun } from './support.ts'

const answer = (data: object) => ({ success: true, statusCode: 200, data })
const safe = { safety: [{ safety: 'generic', isSafe: true, method: 'en-safety' }] }
const unsafe = { safety: [{ safety: 'generic', isSafe: false, method: 'en-safety' }] }
const pii = (isPresent: boolean) => [
  { pii_type: "Person's Name", isPresent },
  { pii_type: 'Email Id', isPresent: false },
]
const settings = { apiKey: 'w-key' }
const io = (data: object) => ({ settings, ...answering(answer(data)) })
const nothing = { pii: [], topics: [], greetings: [] }

describeChecks(
  plugin,
  casesOf(
    'walledprotect',
    [
      { name: 'passes safe text', io: io(safe), verdict: true, data: { safe: true, ...nothing } },
      { name: 'fails unsafe text', io: io(unsafe), verdict: false, data: { safe: false, ...nothing } },
      {
        name: 'fails when one of several judgements is unsafe',
        io: io({ safety: [...safe.safety, ...unsafe.safety] }),
        verdict: false,
      },
      {
        name: 'does not ask about safety when that is turned off',
        parameters: { generic_safety_check: false, pii_list: ["Person's Name"] },
        io: io({ safety: [], pii: pii(false) }),
        verdict: true,
      },
      {
        name: 'fails on personal data that must not occur',
        parameters: { pii_list: ["Person's Name", 'Email Id'] },
        io: io({ ...safe, pii: pii(true) }),
        verdict: false,
        data: { safe: true, ...nothing, pii: ['Persons Name'] },
      },
      {
        name: 'passes personal data outside the selected checks',
        io: io({ ...safe, pii: pii(true) }),
        verdict: true,
      },
      {
        name: 'reports greetings and topics',
        parameters: { greetings_list: ['Casual & Friendly'], compliance_list: ['Medicine', 'Banking'] },
        io: io({
          ...safe,
          compliance: [
            { topic: 'Banking', isOnTopic: true },
            { topic: 'Medicine', isOnTopic: false },
          ],
          greetings: [{ greeting_type: 'Casual & Friendly', isPresent: true }],
        }),
        verdict: true,
        data: { safe: true, pii: [], topics: [1], greetings: ['Casual  Friendly'] },
      },
      {
        name: 'refuses a config in which the check can never fail',
        parameters: { generic_safety_check: false },
        io: io(safe),
        error: 'the check can never fail',
      },
      {
        name: 'refuses an unknown kind of data',
        parameters: { pii_list: ['Shoe Size'] },
        io: io(safe),
        error: 'pii_list',
      },
      {
        name: 'is an error without a judgement',
        io: io({ safety: [] }),
        error: 'cannot be read',
      },
      {
        name: 'is an error without the kinds of data',
        parameters: { pii_list: ['Address'] },
        io: io(safe),
        error: 'cannot be read',
      },
      { name: 'needs a credential', io: answering(answer(safe)), error: 'apiKey is missing' },
    ],
    { text: 'hello there' },
  ),
)

describe('Walled AI over HTTP', () => {
  const check = checkOf(plugin, 'walledprotect')
  const at =
    (run: Partial<VendorRun> = {}) =>
    (baseUrl: string): VendorRun => ({ text: 'hello there', settings: { ...settings, baseUrl }, ...run })

  it('sends each text as a message with one of its two roles', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: 'hello' },
    ]
    const run = at({ request: { model: 'm', messages }, parameters: { apiKey: 'own' } })
    const { seen } = await runOnce(check, () => ({ json: answer(safe) }), run)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/v1/walled-protect',
      json: {
        text: [
          { role: 'user', content: 'be kind' },
          { role: 'assistant', content: 'yes' },
          { role: 'user', content: 'hello' },
        ],
        generic_safety_check: true,
        greetings_list: [],
        pii_list: [],
        compliance_list: [],
      },
    })
    expect(seen[0]?.headers['x-api-key']).to.equal('own')
  })

  it('sends only the last message, or only the answer', async () => {
    const messages = [
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
    ]
    const last = at({ request: { model: 'm', messages }, parameters: { scope: 'last' } })
    const before = await runOnce(check, () => ({ json: answer(safe) }), last)
    expect(before.seen[0]?.json?.text).to.deep.equal([{ role: 'user', content: 'two' }])
    const after = await runOnce(check, () => ({ json: answer(safe) }), at({ phase: 'after' }))
    expect(after.seen[0]?.json?.text).to.deep.equal([{ role: 'assistant', content: 'hello there' }])
  })

  describeFaults(check, at(), {
    'a failure that looks like a verdict': { status: 500, json: answer(safe) },
    'an error of its own': { json: { success: false, errorCode: 'VALIDATION_ERROR', message: '' } },
  })
})
