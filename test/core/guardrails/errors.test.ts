/**
 * A check that throws, hangs or returns an invalid result gives no verdict. It counts as passed unless it must fail
 * closed.
 */
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { acts, hooksOf, openGuarded } from './fixtures/open.ts'
import { runs } from './fixtures/plugin.ts'

const broken = ['throw', 'reject', 'crash', 'nonsense'] as const

describe('a check without a verdict', () => {
  const scene = openGuarded()

  for (const list of ['input_guardrails', 'output_guardrails'] as const) {
    const phase = list === 'input_guardrails' ? 'before_request_hooks' : 'after_request_hooks'
    for (const act of broken) {
      it(`passes in ${list}, and its error is reported: ${act}`, async () => {
        const reply = await scene.ask(scene.leaf('a', { [list]: [acts(act, 'mine', { deny: true })] }))
        expect(reply.status).to.equal(200)
        const [hook] = hooksOf(reply)[phase]
        expect(hook?.verdict).to.equal(true)
        expect(hook?.checks[0]?.error).to.have.all.keys('name', 'message')
      })

      it(`fails in ${list} with fail_closed: ${act}`, async () => {
        const strict = acts(act, 'mine', { deny: true, fail_closed: true })
        const denied = await scene.ask(scene.leaf('a', { [list]: [strict] }))
        expect(denied.status).to.equal(446)
        expect(hooksOf(denied)[phase][0]?.checks[0]).to.deep.include({ verdict: false })
        const lenient = acts(act, 'mine', { fail_closed: true })
        expect((await scene.ask(scene.leaf('a', { [list]: [lenient] }))).status).to.equal(246)
      })
    }
  }

  it('reports the message of an error meant for users, and otherwise only the kind of error', async () => {
    const told = await scene.ask(scene.leaf('a', { input_guardrails: [acts('throw')] }))
    expect(hooksOf(told).before_request_hooks[0]?.checks[0]?.error).to.deep.equal({
      name: 'Error',
      message: 'It was told to throw.',
    })
    const crash = { id: 'x', 'fixture.act': { act: 'crash', secret: 'sesame' } }
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: [crash] }))
    expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.error?.name).to.equal('TypeError')
    expect(reply.text).not.to.contain('sesame').and.not.to.contain('/home')
  })

  it('is counted and logged, whether it passes or fails', async () => {
    const from = scene.gateway.logs.length
    await scene.ask(
      scene.leaf('a', { input_guardrails: [acts('throw'), acts('reject', 'x', { fail_closed: true })] }),
    )
    const warnings = scene.gateway.logs.slice(from).filter(({ check }) => check === 'fixture.act')
    expect(warnings).to.have.length(2)
    expect(warnings[0]).to.include({ level: 40, msg: 'guardrail check failed without a verdict' })
    const metrics = await (await scene.gateway.get('/metrics')).text()
    expect(metrics).to.match(/gateway_check_errors_total\{check="fixture\.act"\} [1-9]/)
    expect(metrics).to.match(/gateway_check_duration_seconds_count\{check="fixture\.act"\} [1-9]/)
  })

  it('does not hide the verdict of another check', async () => {
    const both = [acts('throw', 'broken', { deny: true }), acts('fail', 'strict', { deny: true })]
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: both }))
    expect(reply.status).to.equal(446)
    expect(hooksOf(reply).before_request_hooks.map(({ verdict }) => verdict)).to.deep.equal([true, false])
  })

  it('changes nothing when it is a mutator that names no text', async () => {
    const lost = { id: 'lost', 'fixture.append': { lost: true } }
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: [lost], output_guardrails: [lost] }))
    expect(reply.status).to.equal(200)
    const { before_request_hooks: before, after_request_hooks: after } = hooksOf(reply)
    for (const hook of [...before, ...after]) {
      expect(hook.transformed).to.equal(false)
      expect(hook.checks[0]?.error).not.to.equal(null)
    }
    expect(scene.seen('a').json?.messages).to.deep.equal([{ role: 'user', content: 'hello' }])
  })

  it('denies when it is a mutator with fail_closed', async () => {
    const lost = { id: 'lost', deny: true, fail_closed: true, 'fixture.append': { lost: true } }
    expect((await scene.ask(scene.leaf('a', { input_guardrails: [lost] }))).status).to.equal(446)
  })

  describe('that hangs', () => {
    const clock = stopClock()
    const ask = async (rest: object) => {
      const asking = scene.ask(
        scene.leaf('a', { input_guardrails: [acts('hang', 'mine', { deny: true, ...rest })] }),
      )
      await clock.until(() => runs.length === 1, 'the check')
      expect(scene.calls()).to.deep.equal([])
      return clock.run(asking)
    }

    it('times out', async () => {
      const reply = await ask({})
      expect(reply.status).to.equal(200)
      expect(hooksOf(reply).before_request_hooks[0]?.checks[0]?.error?.message).to.contain('5000 ms')
    })

    it('denies after its timeout with fail_closed', async () => {
      expect((await ask({ fail_closed: true })).status).to.equal(446)
    })
  })
})

describe('a check without a verdict, with plugins.fail_closed', () => {
  const scene = openGuarded({ plugins: { fail_closed: true } })

  it('fails', async () => {
    const reply = await scene.ask(
      scene.leaf('a', { input_guardrails: [acts('throw', 'mine', { deny: true })] }),
    )
    expect(reply.status).to.equal(446)
  })

  it('passes when its own hook sets fail_closed to false', async () => {
    const lenient = acts('throw', 'mine', { deny: true, fail_closed: false })
    expect((await scene.ask(scene.leaf('a', { input_guardrails: [lenient] }))).status).to.equal(200)
  })
})
