/** The texts of `/v1/messages`: which ones are collected, and how they are written back. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { createCheckInput } from '#core/guardrails/input'
import { rewriteTexts } from '#core/guardrails/texts/rewrite-texts'
import { endpointOf, textParts } from '../../support/endpoints.ts'

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const request = {
  model: 'm',
  system: [{ type: 'text', text: 'sys', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: 'first' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'xxx' },
        { type: 'text', text: 'let me see' },
        { type: 'tool_use', id: 't1', name: 'look', input: { city: 'Paris' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'sunny' }, image] },
        { type: 'tool_result', tool_use_id: 't2', content: 'rain' },
        image,
        {
          type: 'document',
          title: 'T',
          context: 'C',
          source: { type: 'text', media_type: 'text/plain', data: 'doc' },
        },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'in doc' }] } },
        {
          type: 'search_result',
          title: 'ST',
          source: 'https://x.test',
          content: [{ type: 'text', text: 'found' }],
        },
        { type: 'of_tomorrow', note: { deep: ['new'] }, id: 'x' },
      ],
    },
  ],
} as JsonObject

describe('the texts of a Messages request', () => {
  it('include every text, with its role', () => {
    const parts = textParts('messages', 'before', request).map(({ role, text, path }) => [role, text, path])
    expect(parts).to.deep.equal([
      ['system', 'sys', '/system/0/text'],
      ['user', 'first', '/messages/0/content'],
      ['assistant', 'hm', '/messages/1/content/0/thinking'],
      ['assistant', 'let me see', '/messages/1/content/2/text'],
      ['assistant', '{"city":"Paris"}', '/messages/1/content/3/input'],
      ['tool', 'sunny', '/messages/2/content/0/content/0/text'],
      ['tool', 'rain', '/messages/2/content/1/content'],
      ['user', 'T', '/messages/2/content/3/title'],
      ['user', 'C', '/messages/2/content/3/context'],
      ['user', 'doc', '/messages/2/content/3/source/data'],
      ['user', 'in doc', '/messages/2/content/5/source/content/0/text'],
      ['user', 'ST', '/messages/2/content/6/title'],
      ['user', 'https://x.test', '/messages/2/content/6/source'],
      ['user', 'found', '/messages/2/content/6/content/0/text'],
      ['user', 'new', '/messages/2/content/7/note/deep/0'],
    ])
    expect(textParts('countTokens', 'before', request)).to.have.length(parts.length)
  })

  it('are only those of the last message when a check wants that', () => {
    const subject = {
      phase: 'before' as const,
      endpoint: endpointOf('messages'),
      provider: null,
      metadata: {},
      headers: {},
      response: null,
    }
    const { lastText, text } = createCheckInput({ ...subject, request: { json: request } })
    expect(lastText).to.match(/^sunny\nrain\n/)
    expect(text).to.match(/^sys\nfirst\n/)
  })

  it('are written back to their paths, a tool input as JSON', () => {
    const texts = new Map([
      ['/system/0/text', 'SYS'],
      ['/messages/1/content/3/input', '{"city":"[X]"}'],
      ['/messages/2/content/1/content', 'RAIN'],
    ])
    const changed = rewriteTexts(request, texts)
    const found = textParts('messages', 'before', changed)
    for (const [path, text] of texts) expect(found.find((part) => part.path === path)?.text).to.equal(text)
    expect(changed).to.have.nested.property('messages[1].content[3].input.city', '[X]')
    expect(changed).to.have.nested.property('system[0].cache_control.type', 'ephemeral')
    expect(request).to.have.nested.property('messages[1].content[3].input.city', 'Paris')
    expect(
      rewriteTexts(
        request,
        new Map(textParts('messages', 'before', request).map(({ path, text }) => [path, text])),
      ),
    ).to.equal(request)
  })

  for (const [path, text] of [
    ['/messages/1/content/3/input', 'no JSON'],
    ['/messages/1/content/3/input', '[1]'],
    ['/messages/1/content/3', '{}'],
    ['/model/input', '{}'],
  ] as const) {
    it(`are not written to ${path} as ${text}`, () => {
      expect(() => rewriteTexts(request, new Map([[path, text]]))).to.throw()
    })
  }
})

describe('the texts of a message', () => {
  it('include everything that the caller reads', () => {
    const answer = {
      id: 'msg_1',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        {
          type: 'text',
          text: 'a',
          citations: [{ type: 'page_location', cited_text: 'cited', document_title: 'D' }],
        },
        { type: 'tool_use', id: 't', name: 'n', input: { q: 1 } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's',
          content: [
            { type: 'web_search_result', title: 'W', url: 'https://w.test', encrypted_content: 'xx' },
          ],
        },
      ],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'no' },
    } as JsonObject
    expect(textParts('messages', 'after', answer).map(({ text }) => text)).to.deep.equal([
      'hm',
      'a',
      'cited',
      'D',
      '{"q":1}',
      'W',
      'https://w.test',
      'no',
    ])
  })
})
