/** A check that denies by default sets `deny` only for hooks without it. */
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'
import { hooksOf } from './fixtures/open.ts'

const source = `
const check = (id, deny) => ({
  id, title: id, description: 'Fails on the word bad.', kind: 'guardrail', phases: ['before', 'after'],
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  prepare: () => ({ run: ({ text }) => ({ verdict: !text.includes('bad') }) }),
  ...deny,
})
export default {
  name: 'strict', title: 'Strict', checks: [check('guard', { deny: true }), check('mild', {})],
}`

const guard = { 'strict.guard': {} }

/** The hook's settings, and whether a failure of its check denies. */
const rows: [name: string, item: object, denies: boolean][] = [
  ['says nothing', guard, true],
  ['sets nothing, as a hook', { id: 'h', checks: [{ id: 'strict.guard', parameters: {} }] }, true],
  ['denies', { ...guard, deny: true }, true],
  ['does not deny', { ...guard, deny: false }, false],
  ['does not deny in on_fail', { ...guard, on_fail: { deny: false } }, false],
  ['contains another check', { 'strict.mild': {}, ...guard }, true],
  ['has only checks without a default', { 'strict.mild': {} }, false],
]

describe('a check that denies by default', () => {
  const packages = packageDirectory()
  let directory = ''
  before(async () => {
    directory = await packages.write({ name: 'strict-checks', kind: 'guardrail', source })
  })
  const scene = openScene(() => ({
    plugins: { packages: [directory] },
    guardrails: { saved: guard },
  }))

  for (const [name, item, denies] of rows) {
    it(`denies the request when the hook ${name}`, async () => {
      const reply = await scene.ask(scene.leaf('a', { input_guardrails: [item] }), { body: chat('bad') })
      expect(reply.status).to.equal(denies ? 446 : 246)
      expect(hooksOf(reply).before_request_hooks[0]).to.include({ verdict: false, deny: denies })
    })

    it(`denies the answer when the hook ${name}`, async () => {
      scene.answers.a = (_request, response) => sendJson(response, 200, chatAnswer('bad'))
      const reply = await scene.ask(scene.leaf('a', { output_guardrails: [item] }))
      expect(reply.status).to.equal(denies ? 446 : 246)
    })
  }

  it('denies in a saved guardrail', async () => {
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: ['saved'] }), { body: chat('bad') })
    expect(reply.status).to.equal(446)
  })

  it('does not deny when it passes', async () => {
    const reply = await scene.ask(scene.leaf('a', { input_guardrails: [guard] }), { body: chat('good') })
    expect(reply.status).to.equal(200)
  })
})
