/**
 * Prisma AIRS against a server that answers as
 * https://pan.dev/prisma-airs/api/airuntimesecurity/scan-sync-request/ says.
 */

import plugin from '@gateway/plugin-panw-prisma-airs'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorRun } from './support.ts'

const allow = {
  action: 'allow',
  category: 'benign',
  profile_name: 'house',
  report_id: 'R020e7c31',
  scan_id: '020e7c31-0000-4e0d-a2a6-215a0d5c56d9',
  prompt_detected: { dlp: false, injection: false, url_cats: false },
  timeout: false,
  error: false,
  errors: [],
}
const block = {
  ...allow,
  action: 'block',
  category: 'malicious',
  prompt_detected: { dlp: false, injection: true, url_cats: true },
  response_detected: { dlp: true },
}
const settings = { AIRS_API_KEY: 'a-key' }
const io = (json: unknown) => ({ settings, ...answering(json) })
const ids = { profile: 'house', scan_id: allow.scan_id, report_id: allow.report_id }

describeChecks(
  plugin,
  casesOf(
    'intercept',
    [
      {
        name: 'passes text that the profile allows',
        io: io(allow),
        verdict: true,
        data: { category: 'benign', detected: [], masked: false, ...ids },
      },
      {
        name: 'fails a blocked request, and reports the detection',
        io: io(block),
        verdict: false,
        data: { category: 'malicious', detected: ['injection', 'url_cats'], masked: false, ...ids },
      },
      {
        name: 'reports the detection in an answer',
        phase: 'after',
        io: io(block),
        verdict: false,
        data: { category: 'malicious', detected: ['dlp'], masked: false, ...ids },
      },
      {
        name: 'reports masked texts',
        io: io({ ...allow, prompt_masked_data: { data: 'XXXX' } }),
        verdict: true,
        data: { category: 'benign', detected: [], masked: true, ...ids },
      },
      {
        name: 'fails blocked text even if a detector timed out',
        io: io({ ...block, timeout: true }),
        verdict: false,
      },
      {
        name: 'is an error when a detector timed out',
        io: io({ ...allow, timeout: true }),
        error: 'could not scan',
      },
      {
        name: 'is an error when a detector failed',
        io: io({ ...allow, error: true }),
        error: 'could not scan',
      },
      {
        name: 'is an error for another action',
        io: io({ ...allow, action: 'alert' }),
        error: 'cannot be read',
      },
      { name: 'needs a credential', io: answering(allow), error: 'AIRS_API_KEY is missing' },
    ],
    { text: 'hello there' },
  ),
)

describe('Prisma AIRS over HTTP', () => {
  const intercept = checkOf(plugin, 'intercept')
  const at =
    (run: Partial<VendorRun> = {}) =>
    (baseUrl: string): VendorRun => ({ text: 'hello there', settings: { ...settings, baseUrl }, ...run })

  it('sends the text, and nothing that the parameters do not name', async () => {
    const run = at({ metadata: { user: 'u-1' }, provider: 'openai' })
    const { seen } = await runOnce(intercept, () => ({ json: allow }), run)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/v1/scan/sync/request',
      json: { contents: [{ prompt: 'hello there' }] },
    })
    expect(seen[0]?.headers['x-pan-token']).to.equal('a-key')
  })

  it('sends the profile and the other members of the parameters', async () => {
    const parameters = {
      profile_name: 'house',
      profile_id: 'p-1',
      ai_model: 'gpt',
      app_user: 'anna',
      app_name: 'desk',
      AIRS_API_KEY: 'own',
    }
    const { seen } = await runOnce(intercept, () => ({ json: allow }), at({ phase: 'after', parameters }))
    expect(seen[0]?.json).to.deep.equal({
      ai_profile: { profile_name: 'house', profile_id: 'p-1' },
      metadata: { ai_model: 'gpt', app_user: 'anna', app_name: 'desk' },
      contents: [{ response: 'hello there' }],
    })
    expect(seen[0]?.headers['x-pan-token']).to.equal('own')
  })

  it('sends the whole conversation in one element, or the last message', async () => {
    const messages = [
      { role: 'user', content: 'the first' },
      { role: 'user', content: 'the last' },
    ]
    for (const [scope, prompt] of [
      ['all', 'the first\nthe last'],
      ['last', 'the last'],
    ] as const) {
      const run = at({ request: { model: 'm', messages }, parameters: { scope } })
      const { seen } = await runOnce(intercept, () => ({ json: allow }), run)
      expect(seen[0]?.json).to.deep.equal({ contents: [{ prompt }] })
    }
  })

  describeFaults(intercept, at(), { 'a failure that looks like a verdict': { status: 500, json: allow } })
})
