/** F5 AI Guardrails against a server that answers as https://docs.aisecurity.f5.com/api-docs/ (scans) says. */

import plugin from '@gateway/plugin-f5-guardrails'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorHandler, type VendorRun } from './support.ts'

const scanned = (outcome: string, redactedInput = 'masked') => ({
  id: '019a8469-cd78-70e9-9688-85cb63feb622',
  redactedInput,
  result: {
    outcome,
    scannerResults: [
      {
        scannerId: '01915be3',
        outcome: outcome === 'cleared' ? 'passed' : 'failed',
        data: { type: 'regex', matches: [] },
      },
    ],
  },
})
const settings = { apiKey: 'f-key' }
const io = (json: unknown) => ({ settings, ...answering(json) })
const found = (outcome: string) => ({
  found: [{ path: '/messages/0/content', outcome, failedScanners: 1 }],
})

describeChecks(
  plugin,
  casesOf(
    'scan',
    [
      { name: 'passes cleared text', io: io(scanned('cleared')), verdict: true, data: { found: [] } },
      {
        name: 'fails flagged text',
        io: io(scanned('flagged')),
        verdict: false,
        data: found('flagged'),
        transformedText: null,
      },
      { name: 'fails blocked text', io: io(scanned('blocked')), verdict: false, data: found('blocked') },
      {
        name: 'fails what would be masked, when nothing is to be masked',
        io: io(scanned('redacted')),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'masks, when it is asked to',
        parameters: { redact: true },
        io: io(scanned('redacted', 'My id is *********')),
        verdict: true,
        data: found('redacted'),
        transformedText: 'My id is *********',
      },
      {
        name: 'fails flagged text despite a masked number',
        parameters: { redact: true },
        io: io(scanned('flagged', 'My id is *********')),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'is an error when the masked text is missing',
        parameters: { redact: true },
        io: io({ result: { outcome: 'redacted' } }),
        error: 'cannot be read',
      },
      { name: 'is an error for another outcome', io: io(scanned('pending')), error: 'cannot be read' },
      { name: 'needs a credential', io: answering(scanned('cleared')), error: 'apiKey is missing' },
      {
        name: 'sends no stored credential to a host of the parameters',
        parameters: { calypsoUrl: 'https://elsewhere.example' },
        io: io(scanned('cleared')),
        error: 'requires apiKey as well',
      },
      {
        name: 'takes credential, host, project and timeout from the parameters',
        parameters: {
          calypsoUrl: 'https://elsewhere.example',
          apiKey: 'own',
          projectId: 'p-1',
          timeout: 9000,
        },
        io: answering(scanned('cleared')),
        verdict: true,
      },
    ],
    { text: 'My id is S1234567A' },
  ),
)

describe('F5 AI Guardrails over HTTP', () => {
  const scan = checkOf(plugin, 'scan')
  const at =
    (run: Partial<VendorRun> = {}) =>
    (calypsoUrl: string): VendorRun => ({
      text: 'My id is S1234567A',
      settings: { ...settings, calypsoUrl },
      ...run,
    })
  const masking: VendorHandler = ({ json }) => {
    const input = String(json?.input)
    const output = input.replace(/S\d{7}A/, '*********')
    return { json: scanned(output === input ? 'cleared' : 'redacted', output) }
  }

  it('sends one text per call, and nothing else', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'hello' },
    ]
    const run = at({ request: { model: 'm', messages }, parameters: { projectId: 'p-1' } })
    const { seen } = await runOnce(scan, () => ({ json: scanned('cleared') }), run)
    expect(seen.map(({ path }) => path)).to.deep.equal(['/backend/v1/scans', '/backend/v1/scans'])
    expect(seen.map(({ json }) => json)).to.have.deep.members([
      { input: 'be kind', project: 'p-1' },
      { input: 'hello', project: 'p-1' },
    ])
    expect(seen[0]?.headers.authorization).to.equal('Bearer f-key')
  })

  it('masks only the texts that need it, also in an answer', async () => {
    const run = at({
      phase: 'after',
      parameters: { redact: true },
      response: {
        choices: ['all well', 'it is S1234567A'].map((content, index) => ({
          index,
          message: { role: 'assistant', content },
        })),
      },
    })
    const { seen, verdict, transformed, text } = await runOnce(scan, masking, run)
    expect(seen[0]?.json).to.include({ scanDirection: 'response', flagOnly: false })
    expect(verdict).to.equal(true)
    expect(text).to.equal('all well\nit is *********')
    expect(transformed).to.deep.equal({
      texts: new Map([['/choices/1/message/content', 'it is *********']]),
    })
  })

  it('sends only the last message for that scope', async () => {
    const messages = ['one', 'two'].map((content) => ({ role: 'user', content }))
    const run = at({ request: { model: 'm', messages }, parameters: { scope: 'last' } })
    const { seen } = await runOnce(scan, masking, run)
    expect(seen.map(({ json }) => json)).to.deep.equal([{ input: 'two' }])
  })

  it('checks every text of a long conversation', async () => {
    const messages = Array.from({ length: 20 }, (_, index) => ({ role: 'user', content: `text ${index}` }))
    const handler: VendorHandler = ({ json }) => ({
      json: scanned(json?.input === 'text 19' ? 'flagged' : 'cleared'),
    })
    const outcome = await runOnce(scan, handler, at({ request: { model: 'm', messages } }))
    expect(outcome.seen).to.have.length(20)
    expect(outcome).to.deep.include({
      verdict: false,
      data: { found: [{ path: '/messages/19/content', outcome: 'flagged', failedScanners: 1 }] },
    })
  })

  describeFaults(scan, at(), {
    'a failure that looks like a verdict': { status: 500, json: scanned('cleared') },
  })
})
