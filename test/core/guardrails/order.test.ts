/** The order in which the hooks of a phase run, and what each of them sees. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { acts, contentOf, hooksOf, openGuarded } from './fixtures/open.ts'
import { moments, runs } from './fixtures/plugin.ts'

const adds = (text: string, rest: object = {}) => ({
  id: text,
  ...rest,
  'fixture.append': { tag: text, text },
})

const textOf = (tag: string) => runs.find((run) => run.tag === tag)?.text

describe('the hooks of a phase', () => {
  const scene = openGuarded()
  const sent = () => (scene.seen('a').json as { messages: { content: string }[] }).messages[0]?.content

  it('begin with the mutators, in list order, each with the text of the previous one', async () => {
    const input_guardrails = [acts('pass', 'guard'), adds('1'), acts('pass', 'second guard'), adds('2')]
    const reply = await scene.ask(scene.leaf('a', { input_guardrails }), { body: chat('text') })
    expect(reply.status).to.equal(200)
    expect(['1', '2', 'guard', 'second guard'].map(textOf)).to.deep.equal([
      'text',
      'text1',
      'text12',
      'text12',
    ])
    expect(sent()).to.equal('text12')
    const results = hooksOf(reply).before_request_hooks
    expect(results.map(({ id, type, transformed }) => [id, type, transformed])).to.deep.equal([
      ['1', 'mutator', true],
      ['2', 'mutator', true],
      ['guard', 'guardrail', false],
      ['second guard', 'guardrail', false],
    ])
  })

  it('run before_request_hooks and input_guardrails as one list', async () => {
    const checks = [{ id: 'fixture.append', parameters: { tag: 'hook', text: 'H' } }]
    const config = scene.leaf('a', {
      before_request_hooks: [{ id: 'hook', type: 'mutator', checks }],
      input_guardrails: [adds('G'), acts('pass', 'guard')],
    })
    await scene.ask(config, { body: chat('text') })
    expect(textOf('guard')).to.equal('textHG')
  })

  it('change the answer in the same order', async () => {
    const config = scene.leaf('a', { output_guardrails: [acts('pass', 'guard'), adds('1'), adds('2')] })
    const reply = await scene.ask(config)
    expect(textOf('guard')).to.equal('ok12')
    expect(contentOf(reply)).to.equal('ok12')
    expect(hooksOf(reply).after_request_hooks.map(({ transformed }) => transformed)).to.deep.equal([
      true,
      true,
      false,
    ])
  })

  it('run the checks of one mutator in order', async () => {
    const checks = ['1', '2', '3'].map((text) => ({ id: 'fixture.append', parameters: { tag: text, text } }))
    const config = scene.leaf('a', { before_request_hooks: [{ id: 'all', type: 'mutator', checks }] })
    await scene.ask(config, { body: chat('') })
    expect(sent()).to.equal('123')
  })

  it('run guardrails in parallel', async () => {
    const meeting = ['first', 'second', 'third'].map((tag) => ({
      id: tag,
      deny: true,
      fail_closed: true,
      'fixture.act': { act: 'meet', count: 3, tag },
    }))
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: meeting }))
    expect(reply.status).to.equal(200)
    expect(moments.slice(0, 3)).to.deep.equal(['start first', 'start second', 'start third'])
  })

  it('run the checks of one guardrail in parallel', async () => {
    const checks = ['first', 'second'].map((tag) => ({ id: 'fixture.act', parameters: { act: 'meet', tag } }))
    const hook = { id: 'all', fail_closed: true, checks }
    expect((await scene.ask(scene.leaf('a', { before_request_hooks: [hook] }))).status).to.equal(200)
  })

  it('run the checks of a sequential guardrail in order, up to the first that fails', async () => {
    const checks = ['pass', 'fail', 'throw'].map((act) => ({
      id: 'fixture.act',
      parameters: { act, tag: act },
    }))
    const reply = await scene.ask(
      scene.leaf('a', { before_request_hooks: [{ id: 'all', sequential: true, checks }] }),
    )
    expect(reply.status).to.equal(246)
    expect(moments).to.deep.equal(['start pass', 'end pass', 'start fail', 'end fail'])
    expect(hooksOf(reply).before_request_hooks[0]?.checks.map(({ verdict }) => verdict)).to.deep.equal([
      true,
      false,
    ])
  })

  it('stop at a mutator that denies', async () => {
    const regexReplace = { rule: 'secret', failOnDetection: true }
    const config = scene.leaf('a', {
      input_guardrails: [{ id: 'strict', deny: true, regexReplace }, adds('late'), acts('pass', 'guard')],
    })
    const reply = await scene.ask(config, { body: chat('a secret') })
    expect(reply.status).to.equal(446)
    expect(hooksOf(reply).before_request_hooks.map(({ id }) => id)).to.deep.equal(['strict'])
    expect(runs).to.deep.equal([])
  })

  it('see metadata, but no gateway header and no credential', async () => {
    const headers = {
      'x-gateway-metadata': '{"plan":"pro"}',
      authorization: 'Bearer sk-own',
      cookie: 'a=b',
      'x-request-tag': 'seen',
    }
    await scene.ask(scene.leaf('a', { input_guardrails: [acts('pass', 'guard')] }), { headers })
    expect(runs[0]?.metadata).to.deep.equal({ plan: 'pro' })
    expect(runs[0]?.headers).to.include({ 'x-request-tag': 'seen' })
    const names = Object.keys(runs[0]?.headers ?? {})
    expect(names.filter((name) => /^x-gateway-|^authorization$|^cookie$/.test(name))).to.deep.equal([])
  })
})
