/**
 * Images and documents → content blocks.
 * Source: https://platform.claude.com/docs/en/build-with-claude/vision, …/pdf-support, …/files
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, messagesOf } from './fixtures/chat.ts'

const base64 = Buffer.from('Hello').toString('base64')
const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url, detail: 'high' } })
const file = (given: JsonObject): JsonObject => ({ type: 'file', file: given })
const pdf = { type: 'base64', media_type: 'application/pdf', data: base64 }
const plain = { type: 'text', media_type: 'text/plain', data: 'Hello' }

describe('Anthropic content', () => {
  const blocks: [string, JsonObject, JsonObject][] = [
    [
      'an image URL',
      image('https://example.com/a.png'),
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ],
    [
      'a data URL',
      image(`data:image/PNG;base64,${base64}`),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
    ],
    [
      'a data URL with parameters',
      image(`data:image/webp;name=a.webp;base64,${base64}`),
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: base64 } },
    ],
    [
      'a JPEG by the name that many give it',
      image(`data:image/jpg;base64,${base64}`),
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: base64 } },
    ],
    [
      'a file by its URL',
      file({ filename: 'a.pdf', file_url: 'https://example.com/a.pdf' }),
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' }, title: 'a.pdf' },
    ],
    [
      'a URL in the place of the data',
      file({ file_data: 'https://example.com/a.pdf' }),
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    ],
    [
      'a PDF in the place of an image',
      image(`data:application/pdf;base64,${base64}`),
      { type: 'document', source: pdf },
    ],
    [
      'a PDF file',
      file({ filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` }),
      { type: 'document', source: pdf, title: 'a.pdf' },
    ],
    ['bare base64', file({ file_data: base64 }), { type: 'document', source: pdf }],
    [
      'bare base64 of a text by its name',
      file({ filename: 'a.md', file_data: base64 }),
      { type: 'document', source: plain, title: 'a.md' },
    ],
    [
      'a text file',
      file({ file_data: `data:text/csv;charset=utf-8;base64,${base64}` }),
      { type: 'document', source: plain },
    ],
    [
      'an uploaded file',
      file({ file_id: 'file_1' }),
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    ],
  ]
  for (const [what, part, block] of blocks) {
    it(`accepts ${what}`, () => {
      expect(messagesOf([{ role: 'user', content: [part] }])).to.deep.equal([
        { role: 'user', content: [block] },
      ])
    })
    it(`keeps cache_control on ${what}`, () => {
      const marked = { ...part, cache_control: { type: 'ephemeral' } }
      expect(messagesOf([{ role: 'user', content: [marked] }])).to.deep.equal([
        { role: 'user', content: [{ ...block, cache_control: { type: 'ephemeral' } }] },
      ])
    })
  }

  it('drops an unknown cache_control type', () => {
    const part = { type: 'text', text: 'x', cache_control: { type: 'forever' } }
    expect(messagesOf([{ role: 'user', content: [part] }])).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
    ])
  })

  it('drops blank texts, which the API refuses', () => {
    const messages = messagesOf([
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Hi' },
        ],
      },
      { role: 'assistant', content: '\n\n', tool_calls: [callOf('c', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'c', content: ' ' },
    ])
    expect(messages).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] },
    ])
  })

  it('trims trailing white space of a prefilled answer, which the API refuses', () => {
    const begun = (content: JsonObject['content']) =>
      messagesOf([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
      ])
    const answered = { role: 'assistant', content: [{ type: 'text', text: 'It is' }] }
    for (const content of ['It is \n', [{ type: 'text', text: 'It is ' }]]) {
      expect(begun(content)).to.deep.equal([
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        answered,
      ])
    }
  })

  const refused: [string, JsonObject, string][] = [
    ['another scheme', image('ftp://example.com/a.png'), '/image_url/url'],
    ['an image type that is not supported', image(`data:image/tiff;base64,${base64}`), '/image_url/url'],
    [
      'a file type that is not supported',
      file({ file_data: `data:application/zip;base64,${base64}` }),
      '/file/file_data',
    ],
    ['a file without data', file({ filename: 'a.pdf' }), '/file/file_data'],
    ['video', { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }, '/type'],
  ]
  for (const [what, part, at] of refused) {
    it(`refuses ${what}`, () => {
      const error = gatewayErrorOf(() => messagesOf([{ role: 'user', content: [part] }]))
      expect(error).to.include({ code: 'invalid_body', param: `/messages/0/content/0${at}` })
    })
  }
})
