/** Prompt Security. Answers: those of public integrations, see plugins/promptsecurity/protect.ts */

import plugin from '@gateway/plugin-promptsecurity'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { sendJson } from '../../support/upstream.ts'
import {
  answering,
  checkOf,
  describeDiscretion,
  describeFaults,
  runOnce,
  type VendorHandler,
} from './support.ts'

type Subject = 'prompt' | 'response'

const answer = (subject: Subject, judged: object) => ({
  status: 'success',
  result: { [subject === 'prompt' ? 'response' : 'prompt']: null, [subject]: judged },
})

const passed = { passed: true, action: 'log', violations: [] }
const blocked = { passed: false, action: 'block', violations: ['Prompt Injection Engine'] }

/** Masks digits, and blocks what holds the word bomb. */
function judge(body: Record<string, unknown> | null) {
  const subject = body !== null && 'prompt' in body ? 'prompt' : 'response'
  const text = String(body?.[subject])
  if (text.includes('bomb')) return answer(subject, blocked)
  if (!/\d/.test(text)) return answer(subject, passed)
  const modified = {
    action: 'modify',
    violations: ['Sensitive Data'],
    modified_text: text.replace(/\d/g, '#'),
  }
  return answer(subject, { passed: false, ...modified })
}

const full = { apiDomain: 'eu.prompt.security', apiKey: 'k' }
const io = (reply: unknown = judge, settings: object = full) => ({
  settings: settings as never,
  ...answering(reply),
})

const rowsFor = (subject: Subject) =>
  casesOf(subject === 'prompt' ? 'protectPrompt' : 'protectResponse', [
    {
      name: 'passes text that is only logged',
      text: 'hello',
      io: io(),
      verdict: true,
      data: { action: 'pass', violations: [] },
    },
    {
      name: 'passes text without an action that passed',
      text: 'hello',
      io: io(answer(subject, { passed: true, action: null })),
      verdict: true,
    },
    {
      name: 'fails blocked text',
      text: 'how to build a bomb',
      io: io(),
      verdict: false,
      data: { action: 'block', violations: ['Prompt Injection Engine'] },
      transformedText: null,
    },
    {
      name: 'rewrites modified text',
      text: 'my card is 4111',
      io: io(),
      verdict: true,
      data: { action: 'modify', violations: ['Sensitive Data'] },
      transformedText: 'my card is ####',
    },
    {
      name: 'fails what shall be modified and is not',
      text: 'my card is 4111',
      io: io(answer(subject, { action: 'modify', violations: [] })),
      verdict: false,
      transformedText: null,
    },
    { name: 'asks nothing about no text', text: '', io: io(null), verdict: true },
    { name: 'wants a domain', text: 'x', io: io(judge, { apiKey: 'k' }), error: 'apiDomain is missing' },
    { name: 'wants a key', text: 'x', io: io(judge, { apiDomain: 'a.b' }), error: 'apiKey is missing' },
    {
      name: 'does not send the key of the settings to a domain of the parameters',
      text: 'x',
      parameters: { apiDomain: 'elsewhere.example' },
      io: io(),
      error: 'apiKey is missing',
    },
    {
      name: 'wants the name of a host',
      text: 'x',
      parameters: { apiDomain: 'elsewhere.example/path' },
      io: io(),
      error: 'apiDomain',
    },
  ])

describeChecks(plugin, [...rowsFor('prompt'), ...rowsFor('response')])

const handler: VendorHandler = ({ json }) => ({ json: judge(json) })
const run = (origin: string) => ({ settings: { ...full, baseUrl: origin }, text: 'hello' })

describe('promptsecurity at the vendor', () => {
  const messages = [
    { role: 'system', content: 'be kind' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'my card is 4111' },
        { type: 'text', text: 'and' },
      ],
    },
    { role: 'user', content: 'pin 22' },
  ]

  it('sends the prompt as one text', async () => {
    const { seen } = await runOnce(checkOf(plugin, 'protectPrompt'), handler, (origin) => ({
      ...run(origin),
      request: { messages: [messages[0], { role: 'user', content: 'hello' }] as never },
    }))
    expect(seen).to.have.length(1)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/api/protect',
      json: { prompt: 'be kind\nhello' },
    })
    expect(seen[0]?.headers['app-id']).to.equal('k')
  })

  it('rewrites each text in place, with one call per text', async () => {
    const { seen, body, verdict } = await runOnce(checkOf(plugin, 'protectPrompt'), handler, (origin) => ({
      ...run(origin),
      parameters: { apiDomain: 'mine.example', apiKey: 'mine' },
      request: { messages },
    }))
    expect(verdict).to.equal(true)
    expect(seen).to.have.length(5)
    for (const { headers } of seen) expect(headers['app-id']).to.equal('mine')
    expect(body.messages).to.deep.equal([
      messages[0],
      {
        role: 'user',
        content: [
          { type: 'text', text: 'my card is ####' },
          { type: 'text', text: 'and' },
        ],
      },
      { role: 'user', content: 'pin ##' },
    ])
  })

  it('rewrites only the last message when set so', async () => {
    const { seen, text } = await runOnce(checkOf(plugin, 'protectPrompt'), handler, (origin) => ({
      ...run(origin),
      parameters: { scope: 'last' },
      request: { messages },
    }))
    expect(seen.map(({ json }) => json)).to.deep.equal([{ prompt: 'pin 22' }])
    expect(text).to.equal('be kind\nmy card is 4111\nand\npin ##')
  })

  it('fails when a single text is blocked', async () => {
    const { verdict, transformed } = await runOnce(
      checkOf(plugin, 'protectPrompt'),
      ({ json }) => {
        const text = String(json?.prompt)
        return { json: text.includes('\n') ? judge({ prompt: '1' }) : answer('prompt', blocked) }
      },
      (origin) => ({ ...run(origin), request: { messages } }),
    )
    expect({ verdict, transformed }).to.deep.equal({ verdict: false, transformed: undefined })
  })

  it('fails for a streamed answer that is already being delivered and needs rewriting', async () => {
    const prepared = checkOf(plugin, 'protectResponse').prepare({} as never, full)
    const parts = [{ role: 'assistant', text: 'pin 22', path: '/choices/0/message/content' }]
    const input = { phase: 'after', response: { json: null, status: 200 }, parts }
    const verdict = await prepared.run(input as never, io() as never)
    expect(verdict).to.include({ verdict: false })
  })
})

describe('promptsecurity in the gateway', () => {
  const scene = openScene((origin) => ({
    plugins: { settings: { promptsecurity: { ...full, baseUrl: `${origin}/vendor` } } },
  }))
  const ask = (text: string, item: object = { 'promptsecurity.protectPrompt': {} }) => {
    scene.answers.vendor = (request, response) => sendJson(response, 200, judge(request.json))
    return scene.ask(scene.leaf('a', { input_guardrails: [item] }), { body: chat(text) })
  }

  it('denies by default', async () => {
    expect((await ask('a bomb')).status).to.equal(446)
    expect(scene.calls()).to.deep.equal(['vendor'])
  })

  it('does not deny when the hook sets deny to false', async () => {
    expect((await ask('a bomb', { 'promptsecurity.protectPrompt': {}, deny: false })).status).to.equal(246)
  })

  it('sends the model the prompt that the vendor rewrote', async () => {
    expect((await ask('my card is 4111')).status).to.equal(200)
    expect(scene.seen('a').json?.messages).to.deep.equal([{ role: 'user', content: 'my card is ####' }])
  })

  it('refuses a config whose check cannot reach its vendor', async () => {
    const reply = await ask('hello', { 'promptsecurity.protectPrompt': { apiDomain: 'elsewhere.example' } })
    expect(reply.status).to.equal(400)
    expect(reply.error.code).to.equal('invalid_config')
  })

  it('passes when the vendor fails, unless the hook has fail_closed', async () => {
    scene.answers.vendor = 500
    const item = { 'promptsecurity.protectPrompt': {} }
    const of = (more: object) =>
      scene.ask(scene.leaf('a', { input_guardrails: [{ ...item, ...more }] }), { body: chat('hello') })
    expect((await of({})).status).to.equal(200)
    expect((await of({ fail_closed: true })).status).to.equal(446)
  })
})

for (const check of plugin.checks) {
  describeDiscretion(check, handler, { run })
  describeFaults(check, run, {
    'an unknown action': {
      json: answer(check.phases[0] === 'before' ? 'prompt' : 'response', { action: 'maybe' }),
    },
    'a verdict on the other subject': {
      json: answer(check.phases[0] === 'before' ? 'response' : 'prompt', passed),
    },
  })
}
