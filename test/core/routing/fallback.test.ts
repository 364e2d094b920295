/** `fallback`: targets in order, until one returns an acceptable answer. */
import { expect } from 'chai'
import { chat, target } from '../../support/gateway.ts'
import { type Answering, answerWith, hangUp, openScene, saysNothing, tree } from '../../support/scene.ts'
import { chatAnswer, sendEvents, sendJson } from '../../support/upstream.ts'

const noDenial = { id: 'never', deny: true, 'default.contains': { words: ['ok'], operator: 'none' } }
const failing = { id: 'never', 'default.contains': { words: ['ok'], operator: 'none' } }

describe('fallback', () => {
  const scene = openScene()
  const pair = (first: Record<string, unknown> = {}, strategy: Record<string, unknown> = {}) =>
    tree('fallback', [scene.leaf('a', first), scene.leaf('b')], strategy)

  it('uses the first target that answers', async () => {
    const reply = await scene.ask(pair())
    expect(scene.calls()).to.deep.equal(['a'])
    expect(reply.index).to.equal('config.targets[0]')
  })

  describe('without on_status_codes', () => {
    for (const status of [400, 401, 404, 408, 429, 500, 503, 529]) {
      it(`continues after ${status}`, async () => {
        scene.answers = { a: status }
        const reply = await scene.ask(pair())
        expect(scene.calls()).to.deep.equal(['a', 'b'])
        expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      })
    }

    it('treats any 2xx as an answer', async () => {
      scene.answers = { a: (_request, response) => sendJson(response, 201, chatAnswer('made')) }
      const reply = await scene.ask(pair())
      expect(reply.status).to.equal(201)
      expect(scene.calls()).to.deep.equal(['a'])
    })

    it('continues after a guardrail denied the answer (446)', async () => {
      const reply = await scene.ask(pair({ output_guardrails: [noDenial] }))
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
    })

    it('continues after a guardrail denied the request at a target', async () => {
      const reply = await scene.ask(
        pair({
          input_guardrails: [{ ...noDenial, 'default.contains': { words: ['hello'], operator: 'none' } }],
        }),
      )
      expect(scene.calls()).to.deep.equal(['b'])
      expect(reply.status).to.equal(200)
    })

    it('treats 246 as a success', async () => {
      const reply = await scene.ask(pair({ output_guardrails: [failing] }))
      expect(reply).to.include({ status: 246, index: 'config.targets[0]' })
    })
  })

  describe('with on_status_codes', () => {
    const rows: { codes: number[]; answer: number; called: string[] }[] = [
      { codes: [429], answer: 429, called: ['a', 'b'] },
      { codes: [429], answer: 500, called: ['a'] },
      { codes: [429, 500], answer: 500, called: ['a', 'b'] },
      { codes: [], answer: 500, called: ['a'] },
      { codes: [200], answer: 200, called: ['a', 'b'] },
    ]
    for (const { codes, answer, called } of rows) {
      const written = `[${codes}]`
      it(`${called.length > 1 ? 'continues' : 'stops'} after ${answer} with ${written} in the strategy`, async () => {
        scene.answers = { a: answer }
        const reply = await scene.ask(pair({}, { on_status_codes: codes }))
        expect(scene.calls()).to.deep.equal(called)
        if (called.length === 1) expect(reply.status).to.equal(answer)
      })
      it(`${called.length > 1 ? 'continues' : 'stops'} after ${answer} with ${written} at the target`, async () => {
        scene.answers = { a: answer }
        await scene.ask(pair({ on_status_codes: codes }))
        expect(scene.calls()).to.deep.equal(called)
      })
    }

    it('prefers the codes of the target to those of the strategy', async () => {
      scene.answers = { a: 500 }
      await scene.ask(pair({ on_status_codes: [500] }, { on_status_codes: [429] }))
      expect(scene.calls()).to.deep.equal(['a', 'b'])
    })

    it('does not apply the codes of a target to the targets below it', async () => {
      scene.answers = { a: 500 }
      const inner = { ...pair(), on_status_codes: [429] }
      await scene.ask(tree('single', [inner]))
      expect(scene.calls()).to.deep.equal(['a', 'b'])
    })

    for (const [status, listed, guardrail] of [
      [446, [446], noDenial],
      [246, [246], failing],
    ] as const) {
      it(`continues after ${status} only when it is listed`, async () => {
        const first = { output_guardrails: [guardrail] }
        const moved = await scene.ask(pair(first, { on_status_codes: listed }))
        expect(moved).to.include({ status: 200, index: 'config.targets[1]' })
        const stayed = await scene.ask(pair(first, { on_status_codes: [500] }))
        expect(stayed).to.include({ status, index: 'config.targets[0]' })
      })
    }
  })

  describe('continues after a failure without an upstream answer, with any codes', () => {
    const faults: Record<string, Answering> = {
      'a reset connection': hangUp,
      'an answer that is not JSON': (_request, response) => void response.writeHead(200).end('<html>'),
      'an answer that dies in mid-body': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
        response.write('{"id":')
        setImmediate(() => response.destroy())
      },
      'a redirect': answerWith(302, { location: 'http://127.0.0.1:1/' }),
    }
    for (const [name, answer] of Object.entries(faults)) {
      it(name, async () => {
        scene.answers = { a: answer }
        const reply = await scene.ask(pair({}, { on_status_codes: [429] }))
        expect(scene.calls()).to.deep.equal(['a', 'b'])
        expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      })
    }

    it('a refused connection', async () => {
      const closed = target('http://127.0.0.1:1/v1')
      const reply = await scene.ask(tree('fallback', [closed, scene.leaf('b')], { on_status_codes: [429] }))
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
    })

    it('a timeout', async () => {
      scene.answers = { a: saysNothing }
      // The timeout is for the first target only: on a busy machine the second one may take longer.
      const first = scene.leaf('a', { request_timeout: 20 })
      const reply = await scene.ask(tree('fallback', [first, scene.leaf('b')], { on_status_codes: [429] }))
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
    })

    it('an endpoint that the target does not support', async () => {
      const first = scene.leaf('a', { provider: 'anthropic' })
      const reply = await scene.ask(tree('fallback', [first, scene.leaf('b')], { on_status_codes: [429] }), {
        path: '/v1/embeddings',
        body: { model: 'e', input: 'text' },
      })
      expect(scene.calls()).to.deep.equal(['b'])
      expect(reply.index).to.equal('config.targets[1]')
    })
  })

  describe('when no target answers', () => {
    it('returns the last answer unchanged', async () => {
      scene.answers = { a: 500, b: answerWith(429, { 'retry-after': '7' }) }
      const reply = await scene.ask(pair())
      expect(reply).to.include({ status: 429, index: 'config.targets[1]' })
      expect(reply.error.message).to.equal('it says 429')
      expect(reply.headers.get('retry-after')).to.equal('7')
    })

    it('returns the error of the last target', async () => {
      scene.answers = { a: 500, b: hangUp }
      const reply = await scene.ask(pair())
      expect(reply).to.include({ status: 502, index: 'config.targets[1]' })
      expect(reply.error).to.include({ code: 'upstream_unreachable', type: 'upstream_error' })
    })
  })

  describe('of a stream', () => {
    const failingStream: Answering = (_request, response) =>
      sendEvents(response, ['data: {"error":{"message":"overloaded","code":"overloaded"}}\n\n'])
    const body = chat('hello', { stream: true })

    it('continues before its first content', async () => {
      scene.answers = { a: failingStream }
      const reply = await scene.ask(pair(), { body })
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      expect(reply.text).to.contain('data: [DONE]')
      expect(reply.text).not.to.contain('overloaded')
    })

    it('does not continue once content was sent', async () => {
      scene.answers = {
        a: (_request, response) => {
          sendEvents(response, ['data: {"choices":[{"index":0,"delta":{"content":"be"}}]}\n\n'])
        },
      }
      const reply = await scene.ask(pair(), { body })
      expect(scene.calls()).to.deep.equal(['a'])
      expect(reply.text).to.contain('"be"').and.not.contain('[DONE]')
      expect(reply.text).to.contain('upstream_invalid_response')
    })
  })

  it('stops when the caller disconnects', async () => {
    scene.answers = { a: saysNothing }
    await scene.askAndLeave(pair())
    expect(scene.calls()).to.deep.equal(['a'])
  })
})
