/** Acuvity against a server that answers as the models of github.com/acuvity/api-go (apex/jsonschema) say. */
import type { CheckIo, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-acuvity'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { checkOf, describeFaults, runOnce, type VendorHandler, type VendorRun } from './support.ts'

type Extract = (text: string) => JsonObject

/** One extraction for each message, as the vendor returns them. */
const answer = (messages: unknown, extract: Extract) => ({
  extractions: (messages as string[]).map((data) => ({ data, ...extract(data) })),
})
const settings = { apiKey: 'token', baseUrl: 'https://apex.example' }
const io = (extract: Extract): Partial<CheckIo> => ({
  settings,
  fetchJson: async ({ json }) => ({
    status: 200,
    headers: {},
    json: answer((json as JsonObject).messages, extract),
  }),
})
const says = (extraction: JsonObject) => io(() => extraction)
const clean = says({ exploits: {}, malcontents: {}, languages: { english: 0.9 } })
const at = { path: '/messages/0/content' }

/** Every detector with one score: the finding at 0.6, and the thresholds. */
const scored = [
  ['prompt_injection', { exploits: { prompt_injection: 0.6 } }],
  ['jail_break', { exploits: { jailbreak: 0.6 } }],
  ['malicious_url', { exploits: { malicious_url: 0.6 } }],
  ['toxic', { malcontents: { toxic: 0.6 } }],
  ['biased', { malcontents: { biased: 0.6 } }],
  ['harmful', { topics: { 'content/harmful': 0.6 } }],
] as const

const scoredRows = scored.flatMap(([flag, extraction]) => [
  {
    name: `fails on ${flag}`,
    parameters: { [flag]: true },
    io: says(extraction),
    verdict: false,
    data: { found: [{ detector: flag, ...at, score: 0.6 }] },
  },
  {
    name: `passes ${flag} below its threshold`,
    parameters: { [flag]: true, [`${flag}_threshold`]: 0.7 },
    io: says(extraction),
    verdict: true,
  },
  {
    name: `passes ${flag} when another detector is on`,
    parameters: { secrets: true },
    io: says(extraction),
    verdict: true,
  },
])

const email = {
  PIIs: { email_address: 0.9 },
  detections: [{ type: 'PII', name: 'email_address', score: 0.9 }],
}
const token = { secrets: { github: 1 } }

describeChecks(
  plugin,
  casesOf(
    'scan',
    [
      {
        name: 'passes clean text',
        parameters: { prompt_injection: true },
        io: clean,
        verdict: true,
        data: { found: [] },
      },
      ...scoredRows,
      {
        name: 'fails on a language that is not allowed',
        parameters: { language: true, language_values: 'english' },
        io: clean,
        verdict: false,
        data: { found: [{ detector: 'language', ...at, score: 0.9 }] },
      },
      {
        name: 'passes another language',
        parameters: { language: true, language_values: ['german', 'french'] },
        io: clean,
        verdict: true,
      },
      {
        name: 'needs to know which language',
        parameters: { language: true },
        io: clean,
        error: 'language_values',
      },
      {
        name: 'fails on personal data of any kind',
        parameters: { pii: true },
        io: says(email),
        verdict: false,
        data: { found: [{ detector: 'pii', ...at, kinds: ['email_address'], redacted: false }] },
      },
      {
        name: 'passes personal data of other kinds',
        parameters: { pii: true, pii_categories: ['ssn'] },
        io: says(email),
        verdict: true,
      },
      {
        name: 'fails on secrets',
        parameters: { secrets: true, secrets_categories: ['GitHub'] },
        io: says(token),
        verdict: false,
        data: { found: [{ detector: 'secrets', ...at, kinds: ['github'], redacted: false }] },
      },
      {
        name: 'masks personal data',
        parameters: { pii: true, pii_redact: true, pii_categories: ['email_address'] },
        io: says({ ...email, data: 'mail XXXX' }),
        verdict: true,
        transformedText: 'mail XXXX',
      },
      {
        name: 'fails on personal data that was not masked',
        parameters: { pii: true, pii_redact: true, pii_categories: ['email_address'] },
        io: says(email),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'fails on a secret next to masked personal data',
        parameters: { pii: true, pii_redact: true, pii_categories: ['email_address'], secrets: true },
        io: says({ ...email, ...token, data: 'mail XXXX' }),
        verdict: false,
        transformedText: 'mail XXXX',
      },
      {
        name: 'masks secrets',
        parameters: { secrets: true, secrets_redact: true, secrets_categories: ['github'] },
        io: says({ ...token, data: 'mail XXXX' }),
        verdict: true,
        transformedText: 'mail XXXX',
      },
      { name: 'refuses to look for nothing', parameters: {}, io: clean, error: 'no detector is turned on' },
      {
        name: 'refuses to mask categories that it does not detect',
        parameters: { toxic: true, pii_redact: true, pii_categories: ['ssn'] },
        io: clean,
        error: 'pii_redact needs pii',
      },
      {
        name: 'needs the kinds that it is to mask',
        parameters: { secrets: true, secrets_redact: true },
        io: clean,
        error: 'secrets_redact needs secrets_categories',
      },
      { name: 'needs a credential', parameters: { toxic: true }, io: {}, error: 'apiKey is missing' },
      {
        name: 'needs a credential that names its account, where no address is set',
        parameters: { toxic: true, apiKey: 'not-a-token' },
        io: clean,
        error: 'names no account',
      },
    ],
    { text: 'mail anna@example.com' },
  ),
)

describe('Acuvity over HTTP', () => {
  const scan = checkOf(plugin, 'scan')
  const run =
    (more: Partial<VendorRun> = {}) =>
    (baseUrl: string): VendorRun => ({
      text: 'hello there',
      parameters: { toxic: true },
      settings: { apiKey: 'token', baseUrl },
      ...more,
    })
  const handler =
    (extract: Extract = () => ({})): VendorHandler =>
    ({ json }) => ({ json: answer(json?.messages, extract) })
  const messages = [
    { role: 'system', content: 'be kind' },
    { role: 'user', content: [{ type: 'text', text: 'mail anna@example.com' }] },
  ]

  it('sends each text separately, and nothing else', async () => {
    const { seen } = await runOnce(scan, handler(), run({ request: { model: 'm', user: 'u', messages } }))
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/_acuvity/scan',
      json: {
        messages: ['be kind', 'mail anna@example.com'],
        type: 'Input',
        anonymization: 'FixedSize',
        redactions: [],
      },
    })
    expect(seen[0]?.headers.authorization).to.equal('Bearer token')
  })

  it('masks the reported ranges in place', async () => {
    const masking = handler((text) =>
      text.includes('@') ? { ...email, data: text.replace(/\S+@\S+/, 'XXXX') } : {},
    )
    const parameters = { pii: true, pii_redact: true, pii_categories: ['email_address'] }
    const { seen, body } = await runOnce(
      scan,
      masking,
      run({ request: { model: 'm', messages }, parameters }),
    )
    expect(seen[0]?.json?.redactions).to.deep.equal(['email_address'])
    expect(body.messages).to.deep.equal([
      messages[0],
      { role: 'user', content: [{ type: 'text', text: 'mail XXXX' }] },
    ])
  })

  it('marks an answer as an answer, and sends only the last message for that scope', async () => {
    const after = await runOnce(scan, handler(), run({ phase: 'after' }))
    expect(after.seen[0]?.json).to.deep.include({ type: 'Output', messages: ['hello there'] })
    const parameters = { toxic: true, scope: 'last' }
    const last = await runOnce(scan, handler(), run({ request: { model: 'm', messages }, parameters }))
    expect(last.seen[0]?.json).to.deep.include({ messages: ['mail anna@example.com'] })
  })

  it('takes the account from the token', async () => {
    const tokenFor = (apex: string) =>
      ['e30', Buffer.from(JSON.stringify({ opaque: { 'apex-url': apex } })).toString('base64url'), 's'].join(
        '.',
      )
    const { seen } = await runOnce(scan, handler(), (origin) => ({
      ...run()(origin),
      parameters: { toxic: true, apiKey: tokenFor(`${origin}/`) },
      settings: {},
    }))
    expect(seen[0]?.path).to.equal('/_acuvity/scan')
  })

  describeFaults(scan, run(), {
    'a failure that looks like a verdict': { status: 500, json: { extractions: [{ data: 'hello there' }] } },
    'fewer extractions than texts': { json: { extractions: [] } },
    'extractions of another shape': { json: { extractions: ['text'] } },
  })
})
