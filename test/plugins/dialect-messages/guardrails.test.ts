/** Guardrails and mutators on `/v1/messages` see the caller's format, whichever target answers. */
import { expect } from 'chai'
import { acts, hooksOf, openGuarded } from '../../core/guardrails/fixtures/open.ts'
import { runs } from '../../core/guardrails/fixtures/plugin.ts'
import { sendEvents } from '../../support/upstream.ts'
import {
  ask,
  askMessages,
  eventsOf,
  kinds,
  named,
  openEvents,
  saidBy,
  says,
  stopEvent,
  targetOf,
  textOf,
} from './fixtures.ts'
import { followMessage } from './message-order.ts'

const noBad = { id: 'no-bad', deny: true, contains: { operator: 'none', words: ['bad'] } }
const redact = { id: 'redact', regexReplace: { rule: 'secret-\\d+', redactText: '[X]' } }
const lenient = { 'x-gateway-strict-compat-compliance': 'false' }

describe('guardrails on /v1/messages', () => {
  const scene = openGuarded()

  for (const kind of kinds) {
    describe(`at a ${kind} target`, () => {
      const config = (extra: Record<string, unknown>) => targetOf(scene, kind, { name: 'a', extra })

      it('deny the input with 446, before the call', async () => {
        for (const stream of [false, true]) {
          const body = ask([{ type: 'tool_result', tool_use_id: 't', content: 'so bad' }], { stream })
          const reply = await askMessages(scene, config({ input_guardrails: [noBad] }), { body })
          expect([reply.status, reply.body.type, reply.error.code]).to.deep.equal([
            446,
            'error',
            'guardrail_denied',
          ])
          expect(hooksOf(reply).before_request_hooks[0]).to.include({ id: 'no-bad', verdict: false })
          expect(scene.calls()).to.deep.equal([])
        }
      })

      it('check the text of the request', async () => {
        const body = ask([{ type: 'text', text: 'hello' }], { system: 'be kind' })
        await askMessages(scene, config({ input_guardrails: [acts('pass')] }), { body })
        expect(runs.map(({ text }) => text)).to.deep.equal(['be kind\nhello'])
      })

      it('change the request', async () => {
        const content = [{ type: 'text', text: 'take secret-12', cache_control: { type: 'ephemeral' } }]
        await askMessages(scene, config({ before_request_hooks: [mutator] }), { body: ask(content) })
        expect(scene.seen('a').text).to.contain('take [X]').and.not.to.contain('secret')
      })

      it('that fail without denying return 246, with hook_results in the message', async () => {
        scene.answers.a = says('fine')
        const guards = { input_guardrails: [acts('fail', 'in')], output_guardrails: [acts('pass', 'out')] }
        const reply = await askMessages(scene, config(guards))
        expect([reply.status, reply.body.type, saidBy(reply)]).to.deep.equal([246, 'message', 'fine'])
        expect(hooksOf(reply).before_request_hooks.map(({ id }) => id)).to.deep.equal(['in'])
        expect(hooksOf(reply).after_request_hooks.map(({ id }) => id)).to.deep.equal(['out'])
        expect(runs.map(({ text }) => text)).to.deep.equal(['hello', 'fine'])
      })

      it('deny the output with 446', async () => {
        scene.answers.a = says('so ', 'bad')
        for (const stream of [false, true]) {
          const reply = await askMessages(scene, config({ output_guardrails: [noBad] }), {
            body: ask('x', { stream }),
          })
          expect([reply.status, reply.body.type, reply.error.code]).to.deep.equal([
            446,
            'error',
            'guardrail_denied',
          ])
          expect(reply.text).not.to.contain('"text"')
        }
      })

      it('change the answer', async () => {
        scene.answers.a = says('take sec', 'ret-1', '2 now')
        const whole = await askMessages(scene, config({ output_guardrails: [redact] }))
        expect(saidBy(whole)).to.equal('take [X] now')
        const stream = await askMessages(scene, config({ output_guardrails: [redact] }), {
          body: ask('x', { stream: true }),
        })
        const told = followMessage(eventsOf(stream).map(({ data }) => data))
        expect(told.isComplete).to.equal(true)
        expect(told.content).to.deep.equal([{ type: 'text', text: 'take [X] now' }])
        expect(told.usage).to.include({ input_tokens: kind === 'native' ? 3 : 0 })
      })

      const guards = {
        'the input': { input_guardrails: [acts('pass', 'in')] },
        'the output': { output_guardrails: [acts('pass', 'out')] },
        'the output, held back': { output_guardrails: [acts('pass', 'out', { deny: true })] },
        'the output, held back in windows': { output_guardrails: [{ ...noBad, id: 'out' }] },
        'the output, changed': { output_guardrails: [{ ...redact, id: 'out' }] },
      }
      for (const [what, guard] of Object.entries(guards)) {
        it(`report their results in a stream only when extra events are wanted: ${what}`, async () => {
          scene.answers.a = says('one ', 'secret-1')
          const body = ask('x', { stream: true })
          const strict = eventsOf(await askMessages(scene, config(guard), { body }))
          expect(strict.map(({ name }) => name)).not.to.include('hook_results')
          const told = eventsOf(await askMessages(scene, config(guard), { body, headers: lenient }))
          expect(told.at(-1)?.name).to.equal('message_stop')
          expect(told.at(-2)?.name).to.equal('hook_results')
          expect(told.at(-2)?.data).to.have.property('type', 'hook_results')
          const results = told.at(-2)?.data.hook_results as Record<string, { id: string }[]>
          expect(
            Object.values(results)
              .flat()
              .map(({ id }) => id),
          ).to.deep.equal([what === 'the input' ? 'in' : 'out'])
          const rest = told.filter(({ name }) => name !== 'hook_results')
          expect(rest.map(({ name }) => name)).to.deep.equal(strict.map(({ name }) => name))
        })
      }

      it('end a stream with the error event', async () => {
        const long = Array.from(
          { length: 40 },
          (_, index) => `piece ${index} of a text that is long enough. `,
        )
        scene.answers.a = says(...long, 'now bad', ' and more')
        const reply = await askMessages(scene, config({ output_guardrails: [noBad] }), {
          body: ask('x', { stream: true }),
        })
        expect(reply.status).to.equal(200)
        expect(textOf(reply))
          .to.match(/^piece 0 /)
          .and.not.to.contain('bad')
        const last = eventsOf(reply).at(-1)
        expect(last?.name).to.equal('error')
        expect(last?.data).to.have.property('type', 'error')
        expect(last?.data.error).to.include({ code: 'guardrail_denied', type: 'hooks_failed' })
        expect(last?.data.hook_results).to.have.nested.property('after_request_hooks[0].id', 'no-bad')
        expect(reply.text).not.to.contain('message_stop')
      })
    })
  }

  it('leave a native stream that passes unchanged byte by byte', async () => {
    const events = [...openEvents('one ', 'two ', 'three'), stopEvent]
    scene.answers.a = (_request, response) => sendEvents(response, events)
    const config = targetOf(scene, 'native', { name: 'a', extra: { output_guardrails: [noBad] } })
    const reply = await askMessages(scene, config, { body: ask('x', { stream: true }) })
    expect(reply.text).to.equal(events.join(''))
  })

  it('check and change the input of tool calls in the answer', async () => {
    const start = { type: 'tool_use', id: 't', name: 'n', input: {} }
    const events = [
      ...openEvents().slice(0, 1),
      named({ type: 'content_block_start', index: 0, content_block: start }),
      ...['{"q":"sec', 'ret-12"}'].map((partial_json) =>
        named({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } }),
      ),
      ...openEvents().slice(-2),
      stopEvent,
    ]
    scene.answers.a = (_request, response) => sendEvents(response, events)
    const config = targetOf(scene, 'native', {
      name: 'a',
      extra: { output_guardrails: [redact, acts('pass')] },
    })
    const reply = await askMessages(scene, config, { body: ask('x', { stream: true }) })
    const { content } = followMessage(eventsOf(reply).map(({ data }) => data))
    expect(content).to.deep.equal([{ ...start, input: { q: '[X]' } }])
    expect(runs.map(({ text }) => text)).to.deep.equal(['{"q":"[X]"}'])
  })

  const mutator = {
    id: 'redact',
    type: 'mutator',
    checks: [{ id: 'default.regexReplace', parameters: redact.regexReplace }],
  }
})
