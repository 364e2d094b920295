/** Parameters of other formats at chat providers that do not define them. */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway, target } from '../../../support/gateway.ts'
import { readReply } from '../../../support/scene.ts'
import { openUpstream, type Upstream } from '../../../support/upstream.ts'

const thinking = { type: 'enabled', budget_tokens: 8000 }
const messages = { model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }
const contents = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

interface Case {
  path: string
  body: Record<string, unknown>
  provider: string
  sent: Record<string, unknown>
  left: string[]
}

const cases: Case[] = [
  { path: '/v1/messages', body: { ...messages, top_k: 5 }, provider: 'openai', sent: {}, left: ['/top_k'] },
  { path: '/v1/messages', body: { ...messages, top_k: 5 }, provider: 'vllm', sent: { top_k: 5 }, left: [] },
  {
    path: '/v1beta/models/m:generateContent',
    body: { ...contents, generationConfig: { topK: 5 } },
    provider: 'groq',
    sent: {},
    left: ['/generationConfig/topK'],
  },
  {
    path: '/v1/messages',
    body: { ...messages, thinking },
    provider: 'openai',
    sent: { reasoning_effort: 'medium' },
    left: [],
  },
  {
    path: '/v1/messages',
    body: { ...messages, thinking: { type: 'adaptive' } },
    provider: 'groq',
    sent: {},
    left: ['/thinking'],
  },
  {
    path: '/v1/responses',
    body: { model: 'm', input: 'hi', text: { verbosity: 'low' }, safety_identifier: 'p' },
    provider: 'groq',
    sent: {},
    left: ['/safety_identifier', '/text/verbosity'],
  },
]

describe('a parameter that the chat provider does not define', () => {
  let gateway: TestGateway
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const names = ['top_k', 'thinking', 'reasoning_effort', 'verbosity', 'safety_identifier']
  for (const { path, body, provider, sent, left } of cases) {
    const what = left.length === 0 ? `sends ${Object.keys(sent).join(', ')}` : `leaves out ${left.join(', ')}`
    it(`${path} ${what} at ${provider}, which the trace names`, async () => {
      for (const strict_compat_compliance of [true, false]) {
        const config = { ...target(upstream.url), provider, strict_compat_compliance }
        const headers = { ...configHeader(config), 'x-gateway-explain': 'true' }
        const reply = await readReply(await gateway.post(path, body, headers))
        expect(reply.status, reply.text).to.equal(200)
        const json = Object(upstream.seen.at(-1)?.json) as Record<string, unknown>
        expect(
          Object.fromEntries(names.flatMap((name) => (name in json ? [[name, json[name]]] : []))),
        ).to.deep.equal(sent)
        const decisions = reply.body.decisions as { step: string; left_out?: string[] }[]
        const named = decisions.find(({ step }) => step === 'translate')?.left_out ?? []
        expect(named.toSorted()).to.deep.equal(left)
      }
    })
  }
})
