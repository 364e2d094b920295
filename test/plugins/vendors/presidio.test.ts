/** Presidio against a server that answers as https://microsoft.github.io/presidio/api-docs/api-docs.html says. */
import type { CheckIo, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-presidio'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import {
  answering,
  checkOf,
  faultyReplies,
  openVendor,
  type Reply,
  runAgainst,
  runOnce,
  type VendorHandler,
  type VendorRun,
} from './support.ts'

const url = 'https://presidio.example'

/** Finds mail addresses; offsets count code points, as the vendor's do. */
function analyze({ text, entities }: JsonObject): JsonObject[] {
  if (Array.isArray(entities) && !entities.includes('EMAIL_ADDRESS')) return []
  return [...String(text).matchAll(/[a-z]+@[a-z.]+/g)].map(({ 0: found, index }) => {
    const start = [...String(text).slice(0, index)].length
    return { entity_type: 'EMAIL_ADDRESS', start, end: start + found.length, score: 0.6 }
  })
}

/** Replaces from the end, by code points. */
function anonymize({ text, analyzer_results }: JsonObject): JsonObject {
  const points = [...String(text)]
  const found = [...(analyzer_results as unknown as { start: number; end: number; entity_type: string }[])]
  for (const { start, end, entity_type } of found.sort((left, right) => right.start - left.start))
    points.splice(start, end - start, `<${entity_type}>`)
  return { text: points.join(''), items: [] }
}

const reply = (path: string, json: JsonObject): unknown =>
  path.endsWith('/analyze') ? analyze(json) : anonymize(json)
const handler: VendorHandler = ({ path, json }) => ({ json: reply(path, (json ?? {}) as JsonObject) })
const io: Partial<CheckIo> = {
  fetchJson: async (request) => ({
    status: 200,
    headers: {},
    json: reply(request.url, request.json as JsonObject),
  }),
}

const mail = 'mail anna@example.com'
const found = { kind: 'EMAIL_ADDRESS', path: '/messages/0/content', start: 5, end: 21, score: 0.6 }
const rows = (findsVerdict: boolean) => [
  {
    name: 'passes text without personal data',
    text: 'hello',
    verdict: true,
    data: { count: 0, found: [] },
    transformedText: null,
  },
  {
    name: 'reports findings and positions',
    text: mail,
    verdict: findsVerdict,
    data: { count: 1, found: [found] },
  },
  {
    name: 'counts in UTF-16 units',
    text: `👩‍🚀 ${mail}`,
    verdict: findsVerdict,
    data: { count: 1, found: [{ ...found, start: 11, end: 27 }] },
  },
  {
    name: 'checks only the selected entities',
    parameters: { url, entities: ['PERSON'] },
    text: mail,
    verdict: true,
    data: { count: 0, found: [] },
  },
  {
    name: 'passes lower scores, even if the server reports them',
    parameters: { url, scoreThreshold: 0.7 },
    text: mail,
    verdict: true,
    data: { count: 0, found: [] },
  },
  { name: 'needs the server', parameters: {}, text: mail, error: 'url' },
  { name: 'needs a URL', parameters: { url: 'https://[' }, text: mail, error: 'url is not a URL' },
  {
    name: 'refuses an odd language',
    parameters: { url, language: 'Klingon' },
    text: mail,
    error: 'language',
  },
]

describeChecks(plugin, [
  ...casesOf('analyze', rows(false), { parameters: { url }, io }),
  ...casesOf(
    'anonymize',
    [
      ...rows(true),
      {
        name: 'replaces findings',
        text: `👩‍🚀 ${mail} and bob@example.com`,
        verdict: true,
        transformedText: '👩‍🚀 mail <EMAIL_ADDRESS> and <EMAIL_ADDRESS>',
      },
    ],
    { parameters: { url }, io },
  ),
])

describe('Presidio over HTTP', () => {
  const messages = [
    { role: 'system', content: 'be kind' },
    { role: 'user', content: [{ type: 'text', text: mail }] },
  ]
  const at =
    (run: Partial<VendorRun> = {}) =>
    (origin: string): VendorRun => ({ text: mail, ...run, parameters: { url: origin, ...run.parameters } })

  it('sends one text per call, and nothing else', async () => {
    const run = at({
      request: { model: 'm', user: 'u', messages },
      parameters: { language: 'de', entities: ['EMAIL_ADDRESS'], scoreThreshold: 0.4 },
    })
    const { seen } = await runOnce(checkOf(plugin, 'analyze'), handler, run)
    expect(seen.map(({ path }) => path)).to.deep.equal(['/analyze', '/analyze'])
    const fixed = { language: 'de', entities: ['EMAIL_ADDRESS'], score_threshold: 0.4 }
    expect(seen.map(({ json }) => json)).to.have.deep.members([
      { text: 'be kind', ...fixed },
      { text: mail, ...fixed },
    ])
  })

  it('replaces each text in place, also in an answer', async () => {
    const run = at({ request: { model: 'm', messages } })
    const { body, seen } = await runOnce(checkOf(plugin, 'anonymize'), handler, run)
    expect(body.messages).to.deep.equal([
      messages[0],
      { role: 'user', content: [{ type: 'text', text: 'mail <EMAIL_ADDRESS>' }] },
    ])
    expect(seen.find(({ path }) => path === '/anonymize')?.json).to.deep.equal({
      text: mail,
      analyzer_results: [{ entity_type: 'EMAIL_ADDRESS', start: 5, end: 21, score: 0.6 }],
    })
    const after = await runOnce(checkOf(plugin, 'anonymize'), handler, at({ phase: 'after' }))
    expect(after.text).to.equal('mail <EMAIL_ADDRESS>')
  })

  it('calls an anonymizer at its own URL', async () => {
    const anonymizer = await openVendor(handler)
    try {
      const run = at({ parameters: { anonymizerUrl: anonymizer.origin } })
      const { seen, text } = await runOnce(checkOf(plugin, 'anonymize'), handler, run)
      expect(text).to.equal('mail <EMAIL_ADDRESS>')
      expect([seen, anonymizer.seen].map((calls) => calls.map(({ path }) => path))).to.deep.equal([
        ['/analyze'],
        ['/anonymize'],
      ])
    } finally {
      await anonymizer.close()
    }
  })

  it('sends only the last message for that scope', async () => {
    const run = at({ request: { model: 'm', messages }, parameters: { scope: 'last' } })
    const { seen } = await runOnce(checkOf(plugin, 'analyze'), handler, run)
    expect(seen.map(({ json }) => json?.text)).to.deep.equal([mail])
  })

  // An empty list is an answer of the analyzer: nothing was found.
  const { 'a list': _, ...faults } = faultyReplies
  const odd: Record<string, Reply> = {
    ...faults,
    'a failure that looks like a verdict': { status: 500, json: [] },
    'a list of something else': { json: [{ entity_type: 'PERSON' }] },
  }
  for (const id of ['analyze', 'anonymize'])
    for (const [name, faulty] of Object.entries(odd))
      it(`${id} fails on ${name}`, async () => {
        const outcome = await runOnce(checkOf(plugin, id), () => faulty, at()).catch(
          (error: unknown) => error,
        )
        expect(outcome).to.be.instanceOf(Error).and.not.be.instanceOf(TypeError)
      })

  describe('with a working analyzer and a failing anonymizer', () => {
    const broken =
      (faulty: Reply): VendorHandler =>
      (request) =>
        request.path === '/analyze' ? handler(request) : faulty
    for (const [name, faulty] of Object.entries({
      ...faultyReplies,
      'the same text': { json: { text: mail } },
    }))
      it(`fails on ${name}`, async () => {
        const vendor = await openVendor(broken(faulty))
        const running = runAgainst(checkOf(plugin, 'anonymize'), at()(vendor.origin))
        const outcome = await running.catch((error: unknown) => error)
        await vendor.close()
        expect(outcome).to.be.instanceOf(Error).and.not.be.instanceOf(TypeError)
      })
  })

  it('is not called after the check was cancelled', async () => {
    const controller = new AbortController()
    controller.abort(new Error('stopped'))
    const run = at({ io: { signal: controller.signal, ...answering([]) } })
    const outcome = await runOnce(checkOf(plugin, 'analyze'), handler, run).catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(Error)
  })
})
