/** Amazon Bedrock Guardrails, typed against the vendor's SDK. */
import { createHash, createHmac } from 'node:crypto'
import type {
  ApplyGuardrailRequest,
  ApplyGuardrailResponse,
  GuardrailAssessment,
} from '@aws-sdk/client-bedrock-runtime'
import plugin from '@gateway/plugin-bedrock'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import type { SeenRequest } from '../../support/upstream.ts'
import { answering, checkOf, describeDiscretion, describeFaults, runOnce } from './support.ts'

const check = checkOf(plugin, 'guard')

type Answer = Pick<ApplyGuardrailResponse, 'action' | 'outputs' | 'assessments'>
type Body = Pick<ApplyGuardrailRequest, 'source' | 'content'>

const none: Answer = { action: 'NONE', outputs: [], assessments: [{}] }
const intervened = (assessment: GuardrailAssessment, outputs: string[]): Answer => ({
  action: 'GUARDRAIL_INTERVENED',
  outputs: outputs.map((text) => ({ text })),
  assessments: [assessment],
})

const masking: GuardrailAssessment = {
  sensitiveInformationPolicy: {
    piiEntities: [{ type: 'EMAIL', match: 'jane@example.org', action: 'ANONYMIZED', detected: true }],
    regexes: [{ name: 'ticket', match: 'T-123', regex: 'T-\\d+', action: 'NONE' }],
  },
}
const blocking: GuardrailAssessment = {
  topicPolicy: { topics: [{ name: 'Weapons', type: 'DENY', action: 'BLOCKED' }] },
  contentPolicy: { filters: [{ type: 'VIOLENCE', confidence: 'HIGH', action: 'BLOCKED' }] },
  wordPolicy: {
    customWords: [{ match: 'jane@example.org', action: 'BLOCKED' }],
    managedWordLists: [{ match: 'jane@example.org', type: 'PROFANITY', action: 'BLOCKED' }],
  },
}

const keys = { awsRegion: 'eu-central-1', awsAccessKeyId: 'AKIA1', awsSecretAccessKey: 'secret' }
const io = (reply: unknown, settings: object = keys) => ({ settings: settings as never, ...answering(reply) })
const parameters = { guardrailId: 'abc123', guardrailVersion: '1' }
const text = 'write to jane@example.org'
const masked = 'write to {EMAIL}'
const finding = (policy: string, kind: string | null, action: string) => ({ policy, kind, action })
const found = [
  finding('sensitiveInformationPolicy', 'EMAIL', 'ANONYMIZED'),
  finding('sensitiveInformationPolicy', 'ticket', 'NONE'),
]

describeChecks(
  plugin,
  casesOf(
    'guard',
    [
      {
        name: 'passes where nothing is done',
        io: io(none),
        verdict: true,
        data: { action: 'NONE', findings: [] },
      },
      {
        name: 'fails where something is blocked, and does not say the words',
        io: io(intervened(blocking, ['Sorry.'])),
        verdict: false,
        data: {
          action: 'GUARDRAIL_INTERVENED',
          findings: [
            finding('topicPolicy', 'Weapons', 'BLOCKED'),
            finding('contentPolicy', 'VIOLENCE', 'BLOCKED'),
            finding('wordPolicy', null, 'BLOCKED'),
            finding('wordPolicy', 'PROFANITY', 'BLOCKED'),
          ],
        },
      },
      {
        name: 'fails masked text without redact',
        io: io(intervened(masking, [masked])),
        verdict: false,
        data: { action: 'GUARDRAIL_INTERVENED', findings: found },
        transformedText: null,
      },
      {
        name: 'masks with redact',
        parameters: { ...parameters, redact: true },
        io: io(intervened(masking, [masked])),
        verdict: true,
        data: { action: 'GUARDRAIL_INTERVENED', findings: found },
        transformedText: masked,
      },
      {
        name: 'fails blocked text, also with redact',
        parameters: { ...parameters, redact: true },
        io: io(intervened({ ...masking, ...blocking }, ['Sorry.'])),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'fails where the masked texts cannot be told apart',
        parameters: { ...parameters, redact: true },
        io: io(intervened(masking, [masked, 'more'])),
        verdict: false,
        transformedText: null,
      },
      {
        name: 'fails an intervention without a finding, with redact too',
        parameters: { ...parameters, redact: true },
        io: io(intervened({}, ['Sorry.'])),
        verdict: false,
        transformedText: null,
      },
      { name: 'asks nothing about no text', text: '', io: io(null), verdict: true },
      ...(['guardrailId', 'guardrailVersion'] as const).map((name) => ({
        name: `wants ${name}`,
        parameters: { ...parameters, [name]: undefined } as never,
        io: io(none),
        error: name,
      })),
      {
        name: 'knows no id of another form',
        parameters: { ...parameters, guardrailId: '../x' },
        io: io(none),
        error: 'guardrailId',
      },
      ...Object.keys(keys).map((name) => ({
        name: `wants ${name}`,
        io: io(none, { ...keys, [name]: undefined }),
        error: `${name} is missing`,
      })),
      {
        name: 'does not complete its own credential by the settings’',
        parameters: { ...parameters, awsAccessKeyId: 'AKIA2' },
        io: io(none),
        error: 'awsSecretAccessKey is missing',
      },
    ],
    { text, parameters },
  ),
)

const run = (origin: string) => ({ settings: { ...keys, baseUrl: origin }, parameters, text })
const handler = () => ({ json: none })

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/**
 * The vendor's computation: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
function signatureOf({ method, path, headers, text: body }: SeenRequest, secret: string): string {
  const [, scope = '', names = ''] =
    /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+),/.exec(headers.authorization ?? '') ?? []
  const signed = names.split(';').map((name) => `${name}:${String(headers[name])}\n`)
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const canonical = [method, encoded, '', signed.join(''), names, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`)
  return hmac(key, toSign).toString('hex')
}

describe('bedrock.guard at the vendor', () => {
  for (const [name, guardrailId, path] of [
    ['an id', 'abc123', '/guardrail/abc123/version/DRAFT/apply'],
    [
      'an ARN',
      'arn:aws:bedrock:eu-central-1:123456789012:guardrail/abc123',
      '/guardrail/arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Aguardrail%2Fabc123/version/DRAFT/apply',
    ],
  ] as const)
    it(`signs a call like the vendor's SDK: ${name}`, async () => {
      const { seen } = await runOnce(check, handler, (origin) => ({
        ...run(origin),
        settings: { ...keys, awsSessionToken: 'token', baseUrl: origin },
        parameters: { guardrailId, guardrailVersion: 'DRAFT' },
      }))
      const [request] = seen
      if (request === undefined) expect.fail('the vendor was not called')
      expect(request.path).to.equal(path)
      expect(request.headers['x-amz-security-token']).to.equal('token')
      expect(request.headers.authorization).to.contain(
        'Credential=AKIA1/20231114/eu-central-1/bedrock/aws4_request',
      )
      for (const header of ['host', 'x-amz-date', 'x-amz-security-token'])
        expect(request.headers.authorization).to.match(new RegExp(`SignedHeaders=[^,]*${header}`))
      expect(request.headers.authorization).to.contain(`Signature=${signatureOf(request, 'secret')}`)
    })

  it('sends each text as a separate block, and puts each masked text in its place', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      { role: 'user', content: '' },
    ]
    const { seen, body } = await runOnce(
      check,
      () => ({ json: intervened(masking, ['be kind', masked]) }),
      (origin) => ({ ...run(origin), parameters: { ...parameters, redact: true }, request: { messages } }),
    )
    expect(seen[0]?.json).to.deep.equal({
      source: 'INPUT',
      content: [{ text: { text: 'be kind' } }, { text: { text } }],
    } satisfies Body)
    expect(body.messages).to.deep.equal([
      messages[0],
      {
        role: 'user',
        content: [
          { type: 'text', text: masked },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      messages[2],
    ])
  })

  it('sends the answer as output, with a service API key', async () => {
    const { seen } = await runOnce(check, handler, (origin) => ({
      ...run(origin),
      phase: 'after',
      parameters: { ...parameters, apiKey: 'bedrock-key' },
    }))
    expect(seen[0]?.json).to.deep.equal({ source: 'OUTPUT', content: [{ text: { text } }] } satisfies Body)
    expect(seen[0]?.headers.authorization).to.equal('Bearer bedrock-key')
  })

  it('sends only the last message when set so', async () => {
    const messages = [
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
    ]
    const { seen } = await runOnce(check, handler, (origin) => ({
      ...run(origin),
      parameters: { ...parameters, scope: 'last' },
      request: { messages },
    }))
    expect(seen[0]?.json?.content).to.deep.equal([{ text: { text: 'two' } }])
  })

  for (const [awsRegion, host] of [
    ['us-east-1', 'bedrock-runtime.us-east-1.amazonaws.com'],
    ['cn-north-1', 'bedrock-runtime.cn-north-1.amazonaws.com.cn'],
  ] as const)
    it(`calls the region ${awsRegion}`, async () => {
      const urls: string[] = []
      const fetch = async ({ url }: { url: string }) => {
        urls.push(url)
        return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(none)) }
      }
      const prepared = check.prepare(parameters as never, { ...keys, awsRegion })
      await prepared.run({ phase: 'before', parts: [{ text }] } as never, { fetch, now: () => 0 } as never)
      expect(urls).to.deep.equal([`https://${host}/guardrail/abc123/version/1/apply`])
    })

  it('fails for a streamed answer that is already being delivered and needs masking', async () => {
    const prepared = check.prepare({ ...parameters, redact: true } as never, { ...keys, apiKey: 'k' })
    const input = { phase: 'after', response: { json: null, status: 200 }, parts: [{ text, path: '/a' }] }
    const verdict = await prepared.run(
      input as never,
      { ...io(intervened(masking, [masked])), now: () => 0 } as never,
    )
    expect(verdict).to.include({ verdict: false }).and.not.have.property('transformed')
  })
})

describeDiscretion(check, handler, { run })
describeFaults(check, run, {
  'an unknown action': { json: { ...none, action: 'MAYBE' } },
  'a refusal with a body': { status: 403, json: { message: 'The security token is invalid.' } },
})
