/** Shared by service checks: credentials, answers, and the texts that a vendor rewrote. */
import type { CheckInput } from '@gateway/contract'
import { isStreaming, jsonOf, keyOf, objectsIn, replaceTexts, urlOf } from '@gateway/plugin-kit'
import { expect } from 'chai'

const names = { key: 'apiKey', url: 'baseUrl' }
const stored = { apiKey: 'stored', baseUrl: 'https://stored.example' }

describe('the plugin kit for service checks', () => {
  for (const [name, parameters, settings, key] of [
    ['the stored credential', {}, stored, 'stored'],
    ['the credential of the parameters', { apiKey: 'own' }, stored, 'own'],
    [
      'the credential and the address of the parameters',
      { apiKey: 'own', baseUrl: 'https://a.example' },
      stored,
      'own',
    ],
    ['the stored credential for the stored address', { baseUrl: 'https://stored.example' }, stored, 'stored'],
  ] as const)
    it(`uses ${name}`, () => {
      expect(keyOf('vendor', names, { parameters, settings })).to.equal(key)
    })

  it('sends no stored credential to another address', () => {
    expect(() =>
      keyOf('vendor', names, { parameters: { baseUrl: 'https://a.example' }, settings: stored }),
    ).to.throw('apiKey is missing: baseUrl of the parameters requires apiKey as well')
  })

  it('names the missing credential and where to set it', () => {
    expect(() => keyOf('vendor', names, { parameters: {}, settings: {} })).to.throw(
      'apiKey is missing: set it in plugins.settings.vendor',
    )
  })

  it('refuses an address that is not a URL', () => {
    expect(() => urlOf('baseUrl', {}, { settings: { baseUrl: 'https://' }, vendorUrl: '' })).to.throw(
      'baseUrl is not a URL',
    )
  })

  it('parses an answer as JSON, or as null, and rejects a status other than 2xx', () => {
    expect(jsonOf('Vendor', { status: 201, bytes: Buffer.from('{"a":1}') })).to.deep.equal({ a: 1 })
    expect(jsonOf('Vendor', { status: 200, bytes: Buffer.from('<html>') })).to.equal(null)
    expect(() => jsonOf('Vendor', { status: 302, bytes: Buffer.from('{}') })).to.throw(
      'Vendor answered with status 302',
    )
  })

  it('keeps only the objects in a list', () => {
    expect(objectsIn([{ a: 1 }, null, 'b', [1]])).to.deep.equal([{ a: 1 }])
    expect(objectsIn({ a: 1 })).to.deep.equal([])
  })

  const text = { path: '/messages/0/content', before: 'my pin', after: 'my ###' }
  const toolInput = { path: '/content/0/input', before: '{"pin":"22"}', after: '{"pin":"##"}' }
  const brokenInput = { ...toolInput, after: '[REDACTED]' }

  it('replaces texts, and tool inputs that stay JSON objects', () => {
    expect(replaceTexts([text, toolInput], { found: 2 })).to.deep.equal({
      verdict: true,
      data: { found: 2 },
      transformed: {
        texts: new Map([
          [text.path, text.after],
          [toolInput.path, toolInput.after],
        ]),
      },
    })
  })

  it('fails when a tool input would no longer be a JSON object, and replaces the rest', () => {
    expect(replaceTexts([text, brokenInput], {})).to.deep.equal({
      verdict: false,
      data: {},
      transformed: { texts: new Map([[text.path, text.after]]) },
    })
  })

  const toolArguments = {
    path: '/choices/0/message/tool_calls/0/function/arguments',
    before: '{"pin":"22"}',
    after: '[REDACTED]',
  }
  for (const [name, change, isReplaced] of [
    ['arguments that stay an object', { ...toolArguments, after: '{"pin":"##"}' }, true],
    ['arguments that become no JSON', toolArguments, false],
    ['arguments that become a list', { ...toolArguments, after: '[1]' }, false],
    ['a list of arguments that stays one', { ...toolArguments, before: '["22"]', after: '["##"]' }, true],
    [
      'a list of arguments that becomes an object',
      { ...toolArguments, before: '["22"]', after: '{}' },
      false,
    ],
    ['arguments that were no JSON before', { ...toolArguments, before: '{"pin":"2' }, true],
    ['an input that is a plain string', { ...toolArguments, path: '/input' }, true],
  ] as const)
    it(`${isReplaced ? 'replaces' : 'does not replace'} ${name}`, () => {
      expect(replaceTexts([change], {}).verdict).to.equal(isReplaced)
    })

  it('fails without a change when nothing can be replaced', () => {
    expect(replaceTexts([brokenInput], {})).to.deep.equal({ verdict: false, data: {} })
    expect(replaceTexts([], {})).to.deep.equal({ verdict: false, data: {} })
  })

  it('recognises an answer that is already being sent to the client', () => {
    const inputOf = (phase: string, json: unknown) => ({ phase, response: { json } }) as CheckInput
    expect(isStreaming(inputOf('after', null))).to.equal(true)
    expect(isStreaming(inputOf('after', {}))).to.equal(false)
    expect(isStreaming(inputOf('before', null))).to.equal(false)
  })
})
