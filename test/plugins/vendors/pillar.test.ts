/** Pillar's checks against a server that answers as https://docs.pillar.security/docs/api/introduction says. */

import plugin from '@gateway/plugin-pillar'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorRun } from './support.ts'

const clean = { pii: false, prompt_injection: false, secrets: null, toxic_language: null }
const settings = { apiKey: 'p-key' }
const io = (json: unknown) => ({ settings, ...answering(json) })

describeChecks(plugin, [
  ...casesOf(
    'scanPrompt',
    [
      { name: 'passes when no scanner finds anything', io: io(clean), verdict: true, data: { found: [] } },
      {
        name: 'fails when one does',
        io: io({ ...clean, prompt_injection: true }),
        verdict: false,
        data: { found: ['prompt_injection'] },
      },
      {
        name: 'counts details as found',
        io: io({ ...clean, pii: [{ type: 'email' }] }),
        verdict: false,
        data: { found: ['pii'] },
      },
      {
        name: 'checks only the selected scanners',
        parameters: { scanners: ['secrets'] },
        io: io({ ...clean, pii: true }),
        verdict: true,
      },
      {
        name: 'refuses an unknown scanner',
        parameters: { scanners: ['mood'] },
        io: io(clean),
        error: 'scanners',
      },
      { name: 'refuses to scan for nothing', parameters: { scanners: [] }, io: io(clean), error: 'scanners' },
      { name: 'needs a credential', io: answering(clean), error: 'apiKey is missing' },
      {
        name: 'takes the credential from the parameters',
        parameters: { apiKey: 'own' },
        io: answering(clean),
        verdict: true,
      },
    ],
    { text: 'hello there' },
  ),
  ...casesOf(
    'scanResponse',
    [
      { name: 'passes a clean answer', io: io({ pii: null, secrets: false }), verdict: true },
      { name: 'fails on a secret', io: io({ secrets: true }), verdict: false, data: { found: ['secrets'] } },
      {
        name: 'has no scanner for prompt injections',
        parameters: { scanners: ['prompt_injection'] },
        io: io(clean),
        error: 'scanners',
      },
    ],
    { text: 'hello there' },
  ),
])

describe('Pillar over HTTP', () => {
  const at =
    (run: Partial<VendorRun> = {}) =>
    (baseUrl: string): VendorRun => ({ text: 'hello there', settings: { ...settings, baseUrl }, ...run })

  it('sends the texts and the scanners, and nothing else', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'hello there' },
    ]
    const request = { model: 'm', messages, user: 'u-1' }
    const run = at({ request, parameters: { scanners: ['pii', 'secrets'] }, metadata: { team: 'a' } })
    const { seen } = await runOnce(checkOf(plugin, 'scanPrompt'), () => ({ json: clean }), run)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/scan/prompt',
      json: { message: 'be kind\nhello there', scanners: { pii: true, secrets: true } },
    })
    expect(seen[0]?.headers.authorization).to.equal('Bearer p-key')
  })

  it('sends only the last message for that scope, and the answer to another URL', async () => {
    const messages = [
      { role: 'user', content: 'the first' },
      { role: 'user', content: [{ type: 'text', text: 'the last' }] },
    ]
    const before = at({ request: { model: 'm', messages }, parameters: { scope: 'last' } })
    const prompt = await runOnce(checkOf(plugin, 'scanPrompt'), () => ({ json: clean }), before)
    expect(prompt.seen[0]?.json).to.include({ message: 'the last' })
    const answer = await runOnce(checkOf(plugin, 'scanResponse'), () => ({ json: clean }), at())
    expect(answer.seen[0]).to.include({ path: '/scan/response' })
    expect(answer.seen[0]?.json).to.include({ message: 'hello there' })
  })

  it('is not called without text', async () => {
    const outcome = await runOnce(checkOf(plugin, 'scanPrompt'), () => ({ json: clean }), at({ text: ' ' }))
    expect(outcome).to.deep.include({ verdict: true, seen: [] })
  })

  const odd = { 'a failure that looks like a verdict': { status: 500, json: clean } }
  describeFaults(checkOf(plugin, 'scanPrompt'), at(), odd)
  describeFaults(checkOf(plugin, 'scanResponse'), at(), odd)
})
