/** Guardrails that redact: on streams, in texts that cannot be changed, and several together. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'
import { contentOf, hooksOf, openGuarded } from './fixtures/open.ts'

describe('a guardrail that redacts', () => {
  const scene = openGuarded()
  const masks = (parameters: object = {}, rest: object = {}) => ({
    id: 'mask',
    ...rest,
    'fixture.mask': parameters,
  })
  const stream = chat('x', { stream: true })
  const lenient = { 'x-gateway-strict-compat-compliance': 'false' }
  const says = (...pieces: string[]) => {
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents(...pieces))
  }

  for (const deny of [false, true])
    it(`redacts a stream for every split of its chunks: deny ${deny}`, async () => {
      says('the se', 'cr', 'et is out')
      const config = scene.leaf('a', { output_guardrails: [masks({}, { deny })] })
      const { status, text } = await scene.ask(config, { body: stream, headers: lenient })
      expect(status).to.equal(200)
      expect(text)
        .to.contain('the ###### is out')
        .and.to.match(/\[DONE\]\n\n$/)
      expect(text).to.contain('"transformed":true').and.not.to.contain('"cr"')
    })

  it('fails when the answer is already being streamed, and reports it', async () => {
    says('the secret')
    const config = scene.leaf('a', { output_guardrails: [masks({ transforms: false })] })
    const { text } = await scene.ask(config, { body: stream, headers: lenient })
    expect(text).to.contain('"verdict":false').and.to.contain('already being streamed')
    expect(text).to.match(/\[DONE\]\n\n$/)
  })

  const input = { q: 'secret', n: 1 }
  const talk = {
    model: 'm',
    max_tokens: 5,
    messages: [
      { role: 'user', content: 'a secret' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'no' }] },
    ],
  }
  const path = '/v1/messages'

  it("keeps a tool call's input an object", async () => {
    const config = scene.leaf('a', { input_guardrails: [masks({}, { deny: true })] })
    expect((await scene.ask(config, { body: talk, path })).status).to.equal(200)
    const sent = JSON.stringify(scene.seen('a').json)
    expect(sent).to.contain('a ######').and.to.contain('######').and.not.to.contain('secret')
  })

  it('fails for texts that it cannot change, and redacts the others', async () => {
    const broken = masks({ by: '"' })
    const config = scene.leaf('a', { input_guardrails: [broken] })
    await scene.ask(config, { body: talk, path })
    const sent = JSON.stringify(scene.seen('a').json)
    expect(sent).to.contain('a \\"').and.to.contain('secret')
    const denying = scene.leaf('a', { input_guardrails: [{ ...broken, deny: true }] })
    const reply = await scene.ask(denying, { body: talk, path })
    expect(reply.status).to.equal(446)
    const [check] = hooksOf(reply).before_request_hooks[0]?.checks ?? []
    expect(check).to.deep.include({ verdict: false, data: null })
    expect(check?.error?.message).to.contain('/messages/1/content/0/input')
    expect(reply.text).not.to.contain('secret')
  })

  it('leaves everything else unchanged', async () => {
    scene.answers.a = (_request, response) =>
      sendJson(response, 200, {
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'secret', note: 'secret' },
            finish_reason: 'stop',
          },
        ],
      })
    const reply = await scene.ask(scene.leaf('a', { output_guardrails: [masks()] }))
    expect(contentOf(reply)).to.equal('######')
    expect(reply.text).to.contain('"note":"secret"')
  })
})

describe('the log entry of a request with guardrails', () => {
  const scene = openGuarded()

  it('contains verdicts and feedback, and none of the checked text', async () => {
    const from = scene.gateway.logs.length
    const words = { contains: { operator: 'none', words: ['canary'] } }
    const on_fail = { feedback: { value: -1, weight: 0.5, metadata: { note: 'kept out' } } }
    const config = scene.leaf('a', {
      input_guardrails: [{ id: 'in', ...words, on_fail }],
      output_guardrails: [{ id: 'out', ...words }],
    })
    await scene.ask(config, { body: chat('a canary') })
    const line = scene.gateway.logs.slice(from).find(({ endpoint }) => endpoint === 'chatComplete')
    const [before, after] = (line?.hooks ?? []) as Record<string, unknown>[]
    expect(before).to.deep.include({ id: 'in', phase: 'before', verdict: false, deny: false })
    expect(before?.feedback).to.deep.equal({ value: -1, weight: 0.5 })
    expect(before?.execution_time).to.be.a('number')
    expect(after).to.deep.include({ id: 'out', phase: 'after', verdict: true })
    expect(JSON.stringify(line)).not.to.contain('canary').and.not.to.contain('kept out')
  })

  it('contains them for a denied stream, too', async () => {
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents('fine. '.repeat(200), 'canary'))
    const from = scene.gateway.logs.length
    const deny = { id: 'no', deny: true, contains: { operator: 'none', words: ['canary'] } }
    await scene.ask(scene.leaf('a', { output_guardrails: [deny] }), { body: chat('x', { stream: true }) })
    const line = scene.gateway.logs.slice(from).find(({ endpoint }) => endpoint === 'chatComplete')
    expect(line?.hooks).to.have.length(1)
    expect(((line?.hooks ?? []) as object[])[0]).to.deep.include({
      id: 'no',
      phase: 'after',
      verdict: false,
      deny: true,
    })
  })
})
