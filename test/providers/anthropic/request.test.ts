/**
 * Chat requests → Messages requests: parameters, system prompt, message order.
 * Source: https://platform.claude.com/docs/en/api/messages
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { messagesOf, model, requestOf, user } from './fixtures/chat.ts'

const text = (value: string): JsonObject => ({ type: 'text', text: value })
const said = (role: string, ...values: string[]): JsonObject => ({ role, content: values.map(text) })

describe('Anthropic requests', () => {
  it('contain only the required members for the smallest request', () => {
    expect(requestOf({})).to.deep.equal({ model, max_tokens: 16_384, messages: [said('user', 'Hi')] })
  })

  const parameters: [string, JsonObject, JsonObject][] = [
    ['max_completion_tokens', { max_completion_tokens: 9, max_tokens: 5 }, { max_tokens: 9 }],
    ['max_tokens', { max_tokens: 5 }, { max_tokens: 5 }],
    ['max_tokens: null', { max_tokens: null }, { max_tokens: 16_384 }],
    ['stop as text', { stop: 'END' }, { stop_sequences: ['END'] }],
    ['stop as a list', { stop: ['A', 'B'] }, { stop_sequences: ['A', 'B'] }],
    ['stop: null', { stop: null }, {}],
    ['temperature in range', { temperature: 0.3 }, { temperature: 0.3 }],
    ['temperature above 1', { temperature: 1.7 }, { temperature: 1 }],
    ['temperature: 0', { temperature: 0 }, { temperature: 0 }],
    ['top_p and top_k', { top_p: 0.9, top_k: 40 }, { top_p: 0.9, top_k: 40 }],
    ['user', { user: 'u-1' }, { metadata: { user_id: 'u-1' } }],
    ['metadata.user_id', { metadata: { user_id: 'u-2', team: 'x' } }, { metadata: { user_id: 'u-2' } }],
    ['other metadata', { metadata: { team: 'x' } }, {}],
    ['stream', { stream: true, stream_options: { include_usage: true } }, { stream: true }],
    ['service_tier auto', { service_tier: 'auto' }, { service_tier: 'auto' }],
    ['service_tier default', { service_tier: 'default' }, { service_tier: 'standard_only' }],
    ['service_tier of another vendor', { service_tier: 'flex' }, {}],
    ['n: 1', { n: 1 }, {}],
    [
      'cache_control',
      { cache_control: { type: 'ephemeral', ttl: '1h' } },
      { cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    [
      'what the API has no word for',
      {
        seed: 1,
        logit_bias: { 5: 1 },
        logprobs: true,
        top_logprobs: 2,
        presence_penalty: 1,
        frequency_penalty: 1,
        store: true,
      },
      {},
    ],
  ]
  for (const [what, given, sent] of parameters) {
    it(`translate ${what}`, () => {
      const { messages: _, model: __, ...rest } = requestOf(given)
      expect(rest).to.deep.equal({ max_tokens: 16_384, ...sent })
    })
  }

  const defaults: [string, number][] = [
    ['claude-3-opus-20240229', 4096],
    ['claude-3-5-sonnet-latest', 8192],
    ['claude-opus-4-20250514', 16_384],
    ['an-alias', 16_384],
  ]
  for (const [name, maxTokens] of defaults) {
    it(`request at most ${maxTokens} tokens from ${name} by default`, () => {
      expect(requestOf({ model: name }).max_tokens).to.equal(maxTokens)
    })
  }

  const sampled = { temperature: 0.3, top_p: 0.5, top_k: 3 }
  for (const name of ['claude-3-5-haiku-latest', 'claude-opus-4-20250514', 'an-alias']) {
    it(`pass sampling parameters to ${name}`, () =>
      expect(requestOf({ model: name, ...sampled })).to.deep.include(sampled))
  }
  // https://platform.claude.com/docs/en/about-claude/models/migration-guide
  const single: [what: string, given: JsonObject, sent: JsonObject][] = [
    ['the temperature of two', { temperature: 0.3, top_p: 0.5 }, { temperature: 0.3 }],
    ['what differs from the default', { temperature: 1, top_p: 0.5 }, { top_p: 0.5 }],
    ['a nucleus alone', { top_p: 0.5 }, { top_p: 0.5 }],
    ['the rest besides', { temperature: 0.3, top_p: 0.5, top_k: 3 }, { temperature: 0.3, top_k: 3 }],
  ]
  for (const name of ['claude-opus-4-1-20250805', 'claude-sonnet-4-5', 'claude-sonnet-4-6']) {
    for (const [what, given, sent] of single) {
      it(`pass ${what} to ${name}, which accepts only one of temperature and top_p`, () => {
        const { temperature, top_p, top_k } = requestOf({ model: name, ...given })
        expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).to.deep.equal(sent)
      })
    }
  }
  it('drop sampling parameters with thinking, which does not allow them', () => {
    const thinks = { thinking: { type: 'enabled', budget_tokens: 2000 } }
    const request = requestOf({ ...sampled, ...thinks }, { strict: false })
    expect(request).to.not.have.any.keys(...Object.keys(sampled))
    expect(requestOf({ ...sampled, ...thinks }, { strict: true })).to.include({ temperature: 0.3 })
  })
  for (const name of [
    'claude-opus-4-7',
    'claude-sonnet-5',
    'claude-haiku-5-5',
    'claude-fable-5-2',
    'claude-mythos-preview',
  ]) {
    it(`drop sampling parameters that ${name} refuses`, () => {
      expect(requestOf({ model: name, ...sampled })).to.not.have.any.keys(...Object.keys(sampled))
      expect(requestOf({ model: name, temperature: 2 }).temperature).to.equal(1)
    })
  }

  const thinking = { type: 'enabled', budget_tokens: 2000 }
  it('enable thinking only without strict compliance', () => {
    expect(requestOf({ thinking }, { strict: true })).to.not.have.property('thinking')
    expect(requestOf({ thinking }, { strict: false }).thinking).to.deep.equal(thinking)
  })
  it('leave tokens for the answer after the thinking budget', () => {
    expect(requestOf({ thinking }, { strict: false }).max_tokens).to.equal(16_384 + 2000)
    expect(requestOf({ thinking, max_tokens: 4000 }, { strict: false }).max_tokens).to.equal(4000)
  })
  it('use adaptive thinking for a model that sets its own budget', () => {
    const request = requestOf({ model: 'claude-opus-4-8', thinking }, { strict: false })
    expect(request).to.deep.include({ thinking: { type: 'adaptive' }, max_tokens: 16_384 })
  })
  it('can disable thinking', () => {
    const request = requestOf({ thinking: { type: 'disabled' } }, { strict: false })
    expect(request.thinking).to.deep.equal({ type: 'disabled' })
  })

  it('collect system and developer messages from any position', () => {
    const request = requestOf({
      messages: [
        { role: 'system', content: 'One' },
        user,
        { role: 'developer', content: 'Two' },
        { role: 'system', content: '' },
      ],
    })
    expect(request).to.deep.include({ system: 'One\n\nTwo', messages: [said('user', 'Hi')] })
  })

  it('keep the parts and cache_control of a system message', () => {
    const cached = { ...text('Long'), cache_control: { type: 'ephemeral' } }
    const request = requestOf({
      messages: [{ role: 'system', content: [cached] }, { role: 'system', content: 'B' }, user],
    })
    expect(request.system).to.deep.equal([cached, text('B')])
  })

  it('merge consecutive messages of one role', () => {
    const messages = messagesOf([
      user,
      { role: 'user', content: [text('there')], name: 'Ann' },
      { role: 'assistant', content: 'Yes' },
      { role: 'assistant', content: [text('?')] },
    ])
    expect(messages).to.deep.equal([said('user', 'Hi', 'there'), said('assistant', 'Yes', '?')])
  })

  it('drop empty texts', () => {
    expect(
      messagesOf([
        user,
        { role: 'assistant', content: '' },
        { role: 'user', content: [text(''), text('x')] },
      ]),
    ).to.deep.equal([said('user', 'Hi', 'x')])
  })

  it('send a refusal of the assistant as its text', () => {
    const refusal = { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not' }] }
    expect(messagesOf([user, refusal])).to.deep.equal([said('user', 'Hi'), said('assistant', 'I will not')])
  })

  const refused: [string, JsonObject, string][] = [
    ['several choices', { n: 2 }, '/n'],
    ['no message but the system prompt', { messages: [{ role: 'system', content: 'x' }] }, '/messages'],
    [
      'audio',
      { messages: [{ role: 'user', content: [text('a'), { type: 'input_audio', input_audio: {} }] }] },
      '/messages/0/content/1/type',
    ],
    [
      'an image in a system message',
      {
        messages: [
          { role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://x/y.png' } }] },
          user,
        ],
      },
      '/messages/0/content/0/type',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what} with its path and the provider`, () => {
      const error = gatewayErrorOf(() => requestOf(body))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.include('anthropic')
    })
  }
})
