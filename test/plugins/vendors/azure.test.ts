/** Azure AI Content Safety and Language: verdicts by parameters, and what travels. */

import plugin from '@gateway/plugin-azure'
import { describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { lyrics, phone, rows } from './azure-cases.ts'
import { analyse, full, io, maskDigits, protect, shield } from './azure-vendor.ts'
import { checkOf, describeDiscretion, describeFaults, runAgainst, runOnce } from './support.ts'

describeChecks(plugin, rows, {
  throwsOn: {
    contentSafety: ['huge'],
    pii: ['huge'],
    shieldPrompt: ['huge'],
    protectedMaterial: ['huge'],
  },
})

const run = (origin: string) => ({ settings: { apiKey: 'k', baseUrl: origin }, text: lyrics })

/** By check: its path, its version, and the request for `lyrics`. */
const calls: Record<string, [path: string, body: object, answer: (body: never) => object]> = {
  contentSafety: [
    '/contentsafety/text:analyze?api-version=2024-09-01',
    {
      text: lyrics,
      categories: ['Hate', 'SelfHarm', 'Sexual', 'Violence'],
      blocklistNames: [],
      outputType: 'FourSeverityLevels',
    },
    analyse,
  ],
  pii: [
    '/language/:analyze-text?api-version=2024-11-01',
    {
      kind: 'PiiEntityRecognition',
      parameters: { domain: 'none', modelVersion: 'latest', stringIndexType: 'Utf16CodeUnit' },
      analysisInput: { documents: [{ id: '0', language: 'en', text: lyrics }] },
    },
    maskDigits,
  ],
  shieldPrompt: ['/contentsafety/text:shieldPrompt?api-version=2024-09-01', { userPrompt: lyrics }, shield],
  protectedMaterial: [
    '/contentsafety/text:detectProtectedMaterial?api-version=2024-09-01',
    { text: lyrics },
    protect,
  ],
}

for (const check of plugin.checks) {
  const [path, body, answer] = calls[check.id] ?? expect.fail(check.id)
  const handler = ({ json }: { json: unknown }) => ({ json: answer(json as never) })

  describe(`azure.${check.id} at the vendor`, () => {
    it('sends the request that the API reference documents', async () => {
      const { seen } = await runOnce(check, handler, run)
      expect(seen).to.have.length(1)
      expect(seen[0]).to.deep.include({ method: 'POST', path, json: body })
      expect(seen[0]?.headers['ocp-apim-subscription-key']).to.equal('k')
    })

    it('uses the version and the key in its parameters', async () => {
      const { seen } = await runOnce(check, handler, (origin) => ({
        ...run(origin),
        parameters: { apiVersion: '2025-01-01-preview', apiKey: 'mine', resourceName: 'theirs' },
      }))
      expect(seen[0]?.path).to.match(/\?api-version=2025-01-01-preview$/)
      expect(seen[0]?.headers['ocp-apim-subscription-key']).to.equal('mine')
    })
  })

  describeDiscretion(check, handler, { run })
}

describe('azure.pii at the vendor', () => {
  it('sends its parameters', async () => {
    const { seen } = await runOnce(
      checkOf(plugin, 'pii'),
      ({ json }) => ({ json: maskDigits(json as never) }),
      (origin) => ({
        ...run(origin),
        parameters: { domain: 'phi', language: 'de', modelVersion: '2023-09-01' },
      }),
    )
    expect(seen[0]?.json).to.deep.include({
      parameters: { domain: 'phi', modelVersion: '2023-09-01', stringIndexType: 'Utf16CodeUnit' },
      analysisInput: { documents: [{ id: '0', language: 'de', text: lyrics }] },
    })
  })

  const unit = fc.constantFrom('a', '1', ' ', '\n', '👩‍🚀', 'é', '𝄞')

  it('masks every text in place, for every split', () =>
    assertProperty(
      fc.asyncProperty(
        fc.array(fc.string({ unit, minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 800 }),
        async (words, times) => {
          const texts = words.map((word) => word.repeat(times))
          const outcome = await runAgainst(checkOf(plugin, 'pii'), {
            parameters: { redact: true },
            request: { messages: texts.map((content) => ({ role: 'user', content })) },
            io: io((body: Parameters<typeof maskDigits>[0]) => {
              const { documents } = body.analysisInput
              expect(documents.length).to.be.within(1, 5)
              for (const { text } of documents) {
                expect(text.length).to.be.within(1, 5000)
                expect(text).not.to.match(/^[\udc00-\udfff]|[\ud800-\udbff]$/)
              }
              return maskDigits(body)
            }),
          })
          expect(outcome.text).to.equal(texts.join('\n').replace(/\d/g, '*'))
        },
      ),
      { numRuns: 50 },
    ))

  it('fails when a tool input would no longer be an object, and masks the rest', async () => {
    const call = { type: 'tool_use', id: 'c', name: 'dial' }
    const response = {
      content: [
        { type: 'text', text: phone },
        { ...call, input: { number: 5551234 } },
      ],
    }
    const outcome = await runAgainst(checkOf(plugin, 'pii'), {
      parameters: { redact: true },
      phase: 'after',
      endpoint: 'messages',
      response,
      io: io(maskDigits),
    })
    expect(outcome.verdict).to.equal(false)
    expect(outcome.body.content).to.deep.equal([
      { type: 'text', text: 'call me: *******' },
      response.content[1],
    ])
  })

  it('fails for a streamed answer that is already being delivered and needs masking', async () => {
    const prepared = checkOf(plugin, 'pii').prepare({ redact: true } as never, full)
    const input = {
      phase: 'after',
      response: { json: null, status: 200 },
      parts: [{ path: '/a', text: phone }],
    }
    const verdict = await prepared.run(input as never, io(maskDigits) as never)
    expect(verdict).to.include({ verdict: false }).and.not.have.property('transformed')
  })
})

describe('azure.contentSafety at the vendor', () => {
  it('splits a long text without cutting words', () =>
    assertProperty(
      fc.asyncProperty(fc.integer({ min: 9980, max: 10_010 }), async (at) => {
        const outcome = await runAgainst(checkOf(plugin, 'contentSafety'), {
          text: `${'a'.repeat(at)}kill${'a'.repeat(9000)}`,
          io: io((body: Parameters<typeof analyse>[0]) => {
            expect(body.text.length).to.be.at.most(10_000)
            return analyse(body)
          }),
        })
        expect(outcome.verdict).to.equal(false)
      }),
      { numRuns: 40 },
    ))
})

describeFaults(checkOf(plugin, 'contentSafety'), run, {
  'a category that was not judged': { json: { categoriesAnalysis: [{ category: 'Hate', severity: 0 }] } },
})
describeFaults(checkOf(plugin, 'pii'), run, {
  'a document that could not be judged': {
    json: { results: { documents: [], errors: [{ id: '0', error: { code: 'InvalidDocument' } }] } },
  },
})
describeFaults(checkOf(plugin, 'shieldPrompt'), run, {
  'a prompt that was not judged': { json: { documentsAnalysis: [] } },
})
describeFaults(checkOf(plugin, 'protectedMaterial'), run, {
  'no analysis': { json: { protectedMaterialAnalysis: {} } },
})
