/** Pangea's services against a server that answers as https://pangea.cloud/docs/api/ (ai-guard, redact) says. */
import type { CheckIo, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-pangea'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeFaults, runOnce, type VendorHandler, type VendorRun } from './support.ts'

const envelope = (result: object) => ({ request_id: 'prq_1', status: 'Success', summary: 'done', result })
const allowed = { blocked: false, recipe: 'pangea_prompt_guard', detectors: {} }
const injected = {
  ...allowed,
  blocked: true,
  detectors: {
    prompt_injection: {
      detected: true,
      data: { action: 'blocked', analyzer_responses: [{ analyzer: 'PA4002', confidence: 1 }] },
    },
    pii_entity: {
      detected: true,
      data: {
        entities: [{ type: 'EMAIL_ADDRESS', value: 'anna@example.com', action: 'reported', start_pos: 5 }],
      },
    },
    language_detection: { detected: false },
  },
}
const settings = { apiKey: 'pts_key' }
const guarded = (result: object) => ({ settings, ...answering(envelope(result)) })

/** Redacts like the vendor's rules. */
const mask = (text: string) => text.replace(/\S+@\S+/, '<EMAIL_ADDRESS>')
const redact = (data: unknown) => {
  const before = Object.entries(data as Record<string, string>)
  const redacted_data = Object.fromEntries(before.map(([name, text]) => [name, mask(text)]))
  return envelope({ count: before.filter(([, text]) => mask(text) !== text).length, redacted_data })
}
const redacting: Partial<CheckIo> = {
  settings,
  fetchJson: async ({ json }) => ({ status: 200, headers: {}, json: redact((json as JsonObject).data) }),
}
const path = '/messages/0/content'

describeChecks(plugin, [
  ...casesOf(
    'textGuard',
    [
      {
        name: 'passes text that the recipe allows',
        io: guarded(allowed),
        verdict: true,
        data: { recipe: 'pangea_prompt_guard', transformed: false, detected: [] },
      },
      {
        name: 'fails blocked text, and reports the detectors',
        io: guarded(injected),
        verdict: false,
        data: {
          recipe: 'pangea_prompt_guard',
          transformed: false,
          detected: [
            { detector: 'prompt_injection', action: 'blocked' },
            { detector: 'pii_entity', action: null },
          ],
        },
      },
      {
        name: 'reports the analyzers on request',
        parameters: { debug: true },
        io: guarded(injected),
        verdict: false,
        data: {
          recipe: 'pangea_prompt_guard',
          transformed: false,
          detected: [
            {
              detector: 'prompt_injection',
              action: 'blocked',
              analyzers: [{ analyzer: 'PA4002', confidence: 1 }],
            },
            { detector: 'pii_entity', action: null, analyzers: [] },
          ],
        },
      },
      {
        name: 'passes text that was detected and only reported',
        io: guarded({ ...injected, blocked: false }),
        verdict: true,
      },
      { name: 'needs a credential', io: answering(envelope(allowed)), error: 'apiKey is missing' },
      {
        name: 'sends no stored credential to a host of the parameters',
        parameters: { domain: 'aws.eu.pangea.cloud' },
        io: guarded(allowed),
        error: 'requires apiKey as well',
      },
      {
        name: 'refuses an invalid domain',
        parameters: { domain: 'evil.example/x?', apiKey: 'own' },
        io: guarded(allowed),
        error: 'domain',
      },
    ],
    { text: 'mail anna@example.com' },
  ),
  ...casesOf('pii', [
    {
      name: 'passes text without personal data',
      text: 'hello',
      io: redacting,
      verdict: true,
      data: { count: 0, paths: [] },
    },
    {
      name: 'fails on personal data, and reports the position',
      text: 'mail anna@example.com',
      io: redacting,
      verdict: false,
      data: { count: 1, paths: [path] },
      transformedText: null,
    },
    {
      name: 'masks it when it is asked to',
      text: 'mail anna@example.com',
      parameters: { redact: true },
      io: redacting,
      verdict: true,
      data: { count: 1, paths: [path] },
      transformedText: 'mail <EMAIL_ADDRESS>',
    },
    {
      name: 'fails when nothing was masked all the same',
      text: 'hello',
      parameters: { redact: true },
      io: guarded({ count: 1, redacted_data: { text0: 'hello' } }),
      verdict: false,
    },
    {
      name: 'is an error when a text is missing',
      text: 'hello',
      io: guarded({ count: 1, redacted_data: {} }),
      error: 'cannot be read',
    },
    { name: 'needs a credential', text: 'hello', io: {}, error: 'apiKey is missing' },
  ]),
])

describe('Pangea over HTTP', () => {
  const textGuard = checkOf(plugin, 'textGuard')
  const pii = checkOf(plugin, 'pii')
  const at =
    (run: Partial<VendorRun> = {}) =>
    (origin: string): VendorRun => ({
      text: 'hello there',
      settings: { ...settings, baseUrl: `${origin}/{SERVICE_NAME}` },
      ...run,
    })
  const messages = [
    { role: 'developer', content: 'be kind' },
    { role: 'user', content: [{ type: 'text', text: 'mail anna@example.com' }] },
  ]
  const redactor: VendorHandler = ({ json }) => ({ json: redact(json?.data) })

  it('sends the texts with their roles, and the members of the parameters', async () => {
    const parameters = {
      recipe: 'house',
      overrides: { prompt_injection: { disabled: true } },
      apiKey: 'own',
      debug: true,
    }
    const run = at({ request: { model: 'm', user: 'u', messages }, parameters })
    const { seen } = await runOnce(textGuard, () => ({ json: envelope(allowed) }), run)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/ai-guard/v1/text/guard',
      json: {
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'mail anna@example.com' },
        ],
        recipe: 'house',
        debug: true,
        overrides: { prompt_injection: { disabled: true } },
      },
    })
    expect(seen[0]?.headers.authorization).to.equal('Bearer own')
  })

  it('calls the domain in the settings or in the parameters', async () => {
    const urls: string[] = []
    const fetchJson: CheckIo['fetchJson'] = async ({ url }) => {
      urls.push(url)
      return { status: 200, headers: {}, json: envelope(allowed) }
    }
    for (const [own, parameters] of [
      [{ apiKey: 'k' }, {}],
      [{ apiKey: 'k', domain: 'aws.eu.pangea.cloud' }, {}],
      [
        { apiKey: 'k', baseUrl: 'https://house.example' },
        { apiKey: 'own', domain: 'gcp.us.pangea.cloud' },
      ],
    ]) {
      const run = at({ parameters: parameters as JsonObject, io: { fetchJson, settings: own as JsonObject } })
      await runOnce(textGuard, () => ({ json: {} }), run)
    }
    expect(urls).to.deep.equal([
      'https://ai-guard.aws.us.pangea.cloud/v1/text/guard',
      'https://ai-guard.aws.eu.pangea.cloud/v1/text/guard',
      'https://ai-guard.gcp.us.pangea.cloud/v1/text/guard',
    ])
  })

  it('masks each text in place, and keeps the others', async () => {
    const run = at({ request: { model: 'm', messages }, parameters: { redact: true } })
    const { seen, body } = await runOnce(pii, redactor, run)
    expect(seen[0]).to.deep.include({
      path: '/redact/v1/redact_structured',
      json: { data: { text0: 'be kind', text1: 'mail anna@example.com' } },
    })
    expect(body.messages).to.deep.equal([
      messages[0],
      { role: 'user', content: [{ type: 'text', text: 'mail <EMAIL_ADDRESS>' }] },
    ])
  })

  it('masks answers, and sends only the last message for that scope', async () => {
    const after = at({ phase: 'after', text: 'to bob@example.com', parameters: { redact: true } })
    expect((await runOnce(pii, redactor, after)).text).to.equal('to <EMAIL_ADDRESS>')
    const last = at({ request: { model: 'm', messages }, parameters: { scope: 'last' } })
    const { seen } = await runOnce(pii, redactor, last)
    expect(seen[0]?.json).to.deep.equal({ data: { text0: 'mail anna@example.com' } })
  })

  const more = {
    'a failure that looks like a verdict': { status: 500, json: envelope({ ...allowed, count: 0 }) },
    'an error in the envelope': { json: { status: 'ValidationError', result: {} } },
    'a request that goes on': { status: 202, json: { status: 'Accepted', result: { ttl_mins: 1 } } },
    'an empty result': { json: envelope({}) },
  }
  describeFaults(textGuard, at(), more)
  describeFaults(pii, at(), more)
})
