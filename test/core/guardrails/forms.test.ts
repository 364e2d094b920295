/** A guardrail works in each of its forms: hook, saved id, short form with and without a dot. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'
import { hooksOf } from './fixtures/open.ts'

const none = { operator: 'none', words: ['forbidden'] }
const check = { id: 'default.contains', parameters: none }

/** Every form of one guardrail; the third member is the id in `hook_results`. */
const forms: [name: string, item: unknown, id: string | RegExp][] = [
  ['a hook', { id: 'mine', deny: true, checks: [check] }, 'mine'],
  ['a hook with a type', { id: 'mine', type: 'guardrail', deny: true, checks: [check] }, 'mine'],
  [
    'a hook whose check has no dot',
    { id: 'mine', deny: true, checks: [{ ...check, id: 'contains' }] },
    'mine',
  ],
  ['a saved guardrail in the form of a hook', 'saved-hook', 'saved-hook'],
  ['a saved guardrail in the short form', 'saved-short', 'saved-short'],
  ['the short form with a dot', { deny: true, 'default.contains': none }, /./],
  ['the short form without a dot', { deny: true, contains: none }, /./],
  ['the short form with an id', { id: 'mine', deny: true, contains: none }, 'mine'],
  ['the short form with the check’s id inside', { deny: true, second: { id: 'contains', ...none } }, /./],
  ['deny in on_fail', { id: 'mine', on_fail: { deny: true }, contains: none }, 'mine'],
]

describe('a guardrail can be written', () => {
  const scene = openScene(() => ({
    guardrails: {
      'saved-hook': { deny: true, checks: [check] },
      'saved-short': { deny: true, contains: none },
    },
  }))
  const answer = (text: string) => {
    scene.answers.a = (_request, response) => sendJson(response, 200, chatAnswer(text))
  }

  for (const [name, item, id] of forms) {
    for (const list of ['input_guardrails', 'before_request_hooks'] as const) {
      if (list === 'before_request_hooks' && (typeof item === 'string' || !('checks' in (item as object))))
        continue
      it(`on the request: ${name} in ${list}`, async () => {
        const config = scene.leaf('a', { [list]: [item] })
        const denied = await scene.ask(config, { body: chat('this is forbidden') })
        expect(denied.status).to.equal(446)
        expect(denied.error).to.include({ type: 'hooks_failed', code: 'guardrail_denied' })
        expect(scene.calls()).to.deep.equal([])
        const passed = await scene.ask(config, { body: chat('this is fine') })
        expect(passed.status).to.equal(200)
        expect(hooksOf(passed).before_request_hooks[0]?.id).to.match(
          typeof id === 'string' ? RegExp(`^${id}$`) : id,
        )
      })
    }

    for (const list of ['output_guardrails', 'after_request_hooks'] as const) {
      if (list === 'after_request_hooks' && (typeof item === 'string' || !('checks' in (item as object))))
        continue
      it(`on the answer: ${name} in ${list}`, async () => {
        const config = scene.leaf('a', { [list]: [item] })
        answer('that is forbidden')
        const denied = await scene.ask(config)
        expect(denied.status).to.equal(446)
        expect(denied.text).not.to.contain('that is')
        answer('that is fine')
        const passed = await scene.ask(config)
        expect(passed.status).to.equal(200)
        expect(hooksOf(passed).after_request_hooks[0]?.id).to.match(
          typeof id === 'string' ? RegExp(`^${id}$`) : id,
        )
      })
    }
  }

  it('with the same check twice when each has an id', async () => {
    const twice = {
      deny: true,
      first: { id: 'default.contains', operator: 'none', words: ['red'] },
      second: { id: 'contains', operator: 'none', words: ['blue'] },
    }
    const config = scene.leaf('a', { input_guardrails: [twice] })
    const statuses = []
    for (const text of ['red', 'blue', 'green'])
      statuses.push((await scene.ask(config, { body: chat(text) })).status)
    expect(statuses).to.deep.equal([446, 446, 200])
  })

  it('in several forms in one list', async () => {
    const config = scene.leaf('a', {
      input_guardrails: [
        'saved-short',
        { id: 'long', checks: [{ id: 'wordCount', parameters: { maxWords: 3 } }] },
      ],
    })
    const reply = await scene.ask(config, { body: chat('one two three four') })
    expect(reply.status).to.equal(246)
    const found = hooksOf(reply).before_request_hooks.map(({ id, verdict }) => [id, verdict])
    expect(found).to.deep.equal([
      ['saved-short', true],
      ['long', false],
    ])
  })
})
