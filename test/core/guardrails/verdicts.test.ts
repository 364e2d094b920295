/** The effect of a verdict: 446 when it denies, 246 when it fails without denying, 200 when it passes. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { chatAnswer } from '../../support/upstream.ts'
import { acts, contentOf, hooksOf, openGuarded } from './fixtures/open.ts'

const json = { 'content-type': 'application/json' }

const hookKeys = [
  'id',
  'verdict',
  'deny',
  'async',
  'type',
  'execution_time',
  'transformed',
  'feedback',
  'checks',
]
const checkKeys = ['id', 'verdict', 'data', 'error', 'execution_time', 'transformed']

describe('a verdict', () => {
  const scene = openGuarded()

  const cases = [
    { list: 'input_guardrails', phase: 'before_request_hooks', other: 'after_request_hooks' },
    { list: 'output_guardrails', phase: 'after_request_hooks', other: 'before_request_hooks' },
  ] as const

  it('comes after the unchanged provider answer, unless a check has read the answer', async () => {
    // A number that JavaScript cannot represent, and a duplicate name.
    const { choices } = chatAnswer('ok')
    const written = `{"big":12345678901234567890,"id":"one","id":"two","choices":${JSON.stringify(choices)}} \n`
    scene.answers = { a: (_request, response) => void response.writeHead(200, json).end(written) }
    const before = await scene.ask(scene.leaf('a', { input_guardrails: [acts('pass', 'mine')] }))
    expect(before.text.startsWith(`${written.trim().slice(0, -1)},"hook_results":{`)).to.equal(true)
    expect(hooksOf(before).before_request_hooks).to.have.length(1)
    const after = await scene.ask(scene.leaf('a', { output_guardrails: [acts('pass', 'mine')] }))
    expect(after.text).not.to.include('"one"')
    expect(hooksOf(after).after_request_hooks).to.have.length(1)
  })

  for (const { list, phase, other } of cases) {
    it(`that passes in ${list} is returned with the answer, with exactly the documented members`, async () => {
      const reply = await scene.ask(scene.leaf('a', { [list]: [acts('pass', 'mine')] }))
      expect(reply.status).to.equal(200)
      expect(contentOf(reply)).to.equal('ok')
      const results = hooksOf(reply)
      expect(results).to.have.all.keys('before_request_hooks', 'after_request_hooks')
      expect(results[other]).to.deep.equal([])
      const [hook] = results[phase]
      expect(hook).to.have.all.keys(...hookKeys)
      expect(hook?.execution_time).to.be.a('number').and.to.be.at.least(0)
      expect(hook).to.deep.include({
        id: 'mine',
        verdict: true,
        deny: false,
        async: false,
        type: 'guardrail',
        transformed: false,
        feedback: null,
      })
      expect(hook?.checks).to.have.length(1)
      expect(hook?.checks[0]).to.have.all.keys(...checkKeys)
      expect(hook?.checks[0]).to.deep.include({
        id: 'fixture.act',
        verdict: true,
        data: { tag: 'mine' },
        error: null,
        transformed: false,
      })
    })

    it(`that fails in ${list} without deny makes the status 246 and keeps the answer`, async () => {
      const reply = await scene.ask(scene.leaf('a', { [list]: [acts('fail'), acts('pass')] }))
      expect(reply.status).to.equal(246)
      expect(contentOf(reply)).to.equal('ok')
      expect(reply.body).not.to.have.property('error')
      expect(hooksOf(reply)[phase].map(({ id, verdict }) => [id, verdict])).to.deep.equal([
        ['fail', false],
        ['pass', true],
      ])
    })

    it(`that fails in ${list} with deny replaces the answer by an error with the results`, async () => {
      const reply = await scene.ask(
        scene.leaf('a', { [list]: [acts('fail', 'strict', { deny: true }), acts('pass')] }),
      )
      expect(reply.status).to.equal(446)
      expect(reply.body).to.have.all.keys('error', 'hook_results')
      expect(reply.error).to.have.all.keys('message', 'type', 'param', 'code')
      expect(reply.error).to.include({ type: 'hooks_failed', code: 'guardrail_denied', param: null })
      const results = hooksOf(reply)[phase]
      expect(results.map(({ id, verdict, deny }) => [id, verdict, deny])).to.deep.equal([
        ['strict', false, true],
        ['pass', true, false],
      ])
      expect(reply.headers.get('x-gateway-last-used-option-index')).to.equal('config')
      expect(reply.headers.get('x-gateway-provider')).to.equal('openai')
    })
  }

  it('of every check counts: one failing check fails its hook', async () => {
    const hook = {
      id: 'both',
      checks: [
        { id: 'fixture.act', parameters: { act: 'pass' } },
        { id: 'fixture.act', parameters: { act: 'fail' } },
      ],
    }
    const reply = await scene.ask(scene.leaf('a', { before_request_hooks: [hook] }))
    expect(reply.status).to.equal(246)
    const [result] = hooksOf(reply).before_request_hooks
    expect(result?.verdict).to.equal(false)
    expect(result?.checks.map(({ verdict }) => verdict)).to.deep.equal([true, false])
  })

  it('of both phases is in the answer', async () => {
    const reply = await scene.ask(
      scene.leaf('a', { input_guardrails: [acts('pass', 'in')], output_guardrails: [acts('fail', 'out')] }),
    )
    expect(reply.status).to.equal(246)
    const { before_request_hooks: before, after_request_hooks: after } = hooksOf(reply)
    expect([...before, ...after].map(({ id }) => id)).to.deep.equal(['in', 'out'])
  })

  it('is missing when no hook ran', async () => {
    expect((await scene.ask(scene.leaf('a'))).body).not.to.have.property('hook_results')
  })

  it('is returned with an upstream error, which keeps its status', async () => {
    scene.answers.a = 402
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: [acts('fail')] }))
    expect(reply.status).to.equal(402)
    expect(reply.error.code).to.equal('told')
    expect(hooksOf(reply).before_request_hooks[0]?.id).to.equal('fail')
  })

  it('is returned with a later gateway error', async () => {
    const targets = [scene.leaf('a', { override_params: { temperature: 9 } })]
    const config = { strategy: { mode: 'single' }, targets, input_guardrails: [acts('pass')] }
    const reply = await scene.ask(config)
    expect(reply.error).to.include({ code: 'invalid_body', param: '/temperature' })
    expect(hooksOf(reply).before_request_hooks[0]?.id).to.equal('pass')
  })

  it('is not requested for an answer that is an error', async () => {
    scene.answers.a = 500
    const reply = await scene.ask(scene.leaf('a', { output_guardrails: [acts('fail', 'x', { deny: true })] }))
    expect(reply.status).to.equal(500)
  })

  describe('with feedback', () => {
    const good = { feedback: { value: 1, weight: 0.5, metadata: { why: 'good' } } }
    const bad = { feedback: { value: -1 } }

    for (const [act, expected] of [
      ['pass', good.feedback],
      ['fail', bad.feedback],
    ] as const) {
      it(`returns the feedback of its outcome: ${act}`, async () => {
        const item = acts(act, 'rated', { on_success: good, on_fail: bad })
        const reply = await scene.ask(
          scene.leaf('a', { input_guardrails: [item], output_guardrails: [item] }),
        )
        const { before_request_hooks: before, after_request_hooks: after } = hooksOf(reply)
        expect([before[0]?.feedback, after[0]?.feedback]).to.deep.equal([expected, expected])
      })
    }

    it('denies by on_fail.deny, and returns the feedback', async () => {
      const item = acts('fail', 'rated', { on_fail: { ...bad, deny: true } })
      const reply = await scene.ask(scene.leaf('a', { input_guardrails: [item] }), { body: chat('x') })
      expect(reply.status).to.equal(446)
      expect(hooksOf(reply).before_request_hooks[0]).to.deep.include({ deny: true, feedback: bad.feedback })
    })
  })

  describe('denies by on_success.deny', () => {
    const found = { on_success: { deny: true } }

    for (const { list, phase } of cases) {
      it(`when it passes in ${list}, streamed or not`, async () => {
        for (const stream of [false, true]) {
          const reply = await scene.ask(scene.leaf('a', { [list]: [acts('pass', 'found', found)] }), {
            body: chat('x', { stream }),
          })
          expect(reply.status).to.equal(446)
          expect(hooksOf(reply)[phase][0]).to.include({ verdict: true, deny: true })
        }
      })

      it(`but not when it fails in ${list}`, async () => {
        const reply = await scene.ask(scene.leaf('a', { [list]: [acts('fail', 'found', found)] }))
        expect(reply.status).to.equal(246)
        expect(hooksOf(reply)[phase][0]).to.include({ verdict: false, deny: false })
      })
    }

    it('and without a verdict only when its hook has fail_closed', async () => {
      const statusOf = async (rest: object) =>
        (await scene.ask(scene.leaf('a', { input_guardrails: [acts('throw', 'x', { ...found, ...rest })] })))
          .status
      expect([await statusOf({}), await statusOf({ fail_closed: true })]).to.deep.equal([200, 446])
    })
  })
})
