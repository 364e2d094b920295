/**
 * Parts of a message: images, documents, audio, cache points.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { blocksOf, claude, requestOf, user, type WireBlock, weather, weatherSpec } from './fixtures/chat.ts'

const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } })
const file = (members: JsonObject): JsonObject => ({ type: 'file', file: members })
const data = (type: string, base64 = 'AAAA') => `data:${type};base64,${base64}`

describe('Converse content', () => {
  const parts: [string, JsonObject, WireBlock][] = [
    ['a PNG', image(data('image/png')), { image: { format: 'png', source: { bytes: 'AAAA' } } }],
    ['a JPEG', image(data('image/jpg')), { image: { format: 'jpeg', source: { bytes: 'AAAA' } } }],
    ['a WebP', image(data('image/webp')), { image: { format: 'webp', source: { bytes: 'AAAA' } } }],
    [
      'an image in S3',
      image('s3://bucket/a/photo.JPG'),
      { image: { format: 'jpeg', source: { s3Location: { uri: 's3://bucket/a/photo.JPG' } } } },
    ],
    [
      'a PDF',
      file({ filename: 'Q3 report.pdf', file_data: data('application/pdf') }),
      { document: { format: 'pdf', name: 'Q3 report', source: { bytes: 'AAAA' } } },
    ],
    [
      'a spreadsheet',
      file({ file_data: data('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet') }),
      { document: { format: 'xlsx', name: 'document', source: { bytes: 'AAAA' } } },
    ],
    [
      'JSON, which is text to the API',
      file({ filename: 'a.json', file_data: data('application/json') }),
      { document: { format: 'txt', name: 'a', source: { bytes: 'AAAA' } } },
    ],
    [
      'bare base64, by its name',
      file({ filename: 'table.csv', file_data: 'YSxi' }),
      { document: { format: 'csv', name: 'table', source: { bytes: 'YSxi' } } },
    ],
    [
      'bare base64 without a name, as a PDF',
      file({ file_data: 'JVBE' }),
      { document: { format: 'pdf', name: 'document', source: { bytes: 'JVBE' } } },
    ],
    [
      'a document in S3',
      file({ file_url: 's3://bucket/docs/contract.docx' }),
      {
        document: {
          format: 'docx',
          name: 'contract',
          source: { s3Location: { uri: 's3://bucket/docs/contract.docx' } },
        },
      },
    ],
    [
      'a document that is to be cited',
      file({
        filename: 'a.txt',
        file_data: data('text/plain'),
        citations: { enabled: true },
        context: 'Law',
      }),
      {
        document: {
          format: 'txt',
          name: 'a',
          source: { bytes: 'AAAA' },
          citations: { enabled: true },
          context: 'Law',
        },
      },
    ],
    [
      'an image as a file',
      file({ file_data: data('image/gif') }),
      { image: { format: 'gif', source: { bytes: 'AAAA' } } },
    ],
    [
      'a video',
      file({ file_data: data('video/mp4') }),
      { video: { format: 'mp4', source: { bytes: 'AAAA' } } },
    ],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      { audio: { format: 'wav', source: { bytes: 'UklG' } } },
    ],
    ['a refusal', { type: 'refusal', refusal: 'No.' }, { text: 'No.' }],
  ]
  for (const [what, part, block] of parts) {
    it(`accepts ${what}`, () => {
      expect(blocksOf([part])).to.deep.equal([block])
    })
  }

  const refused: [string, string, JsonObject][] = [
    [
      'an image by a URL that was not fetched',
      '/messages/0/content/0/image_url/url',
      image('https://a.example/b.png'),
    ],
    ['an image of another type', '/messages/0/content/0/image_url/url', image(data('image/tiff'))],
    [
      'a file of another type',
      '/messages/0/content/0/file/file_data',
      file({ file_data: data('application/zip') }),
    ],
    [
      'a file in S3 without an ending',
      '/messages/0/content/0/file/file_data',
      file({ file_url: 's3://bucket/key' }),
    ],
    [
      'a file that was uploaded elsewhere',
      '/messages/0/content/0/file/file_data',
      file({ file_id: 'file-1' }),
    ],
    [
      'audio of another format',
      '/messages/0/content/0/input_audio/format',
      { type: 'input_audio', input_audio: { data: 'AA', format: 'png' } },
    ],
    ['a part of an unknown type', '/messages/0/content/0/type', { type: 'hologram' }],
  ]
  for (const [what, param, part] of refused) {
    it(`refuses ${what}`, () => {
      expect(gatewayErrorOf(() => blocksOf([part]))).to.include({ code: 'invalid_body', param })
    })
  }

  it('gives documents unique names in characters that the API allows', () => {
    const names = [
      'Bericht_2024 (final).pdf',
      'bericht 2024 (FINAL).docx',
      '分析.pdf',
      '.pdf',
      "John's  [x].tar.gz",
    ]
    const blocks = blocksOf(names.map((filename) => file({ filename, file_data: data('application/pdf') })))
    expect(blocks?.map((block) => block.document?.name)).to.deep.equal([
      'Bericht 2024 (final)',
      'bericht 2024 (FINAL) (2)',
      'document',
      'pdf',
      'John s [x] tar',
    ])
  })

  it('gives any documents names that the API accepts', () => {
    const filename = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom('a', 'A.pdf', ''),
    )
    assertProperty(
      fc.property(fc.array(filename, { minLength: 1, maxLength: 6 }), (names) => {
        const blocks = blocksOf(
          names.map((each) => file({ filename: each, file_data: data('application/pdf') })),
        )
        const given = (blocks ?? []).map((block) => block.document?.name ?? '')
        for (const name of given) expect(name).to.match(/^(?!.*\s\s)[a-zA-Z0-9\s\-()[\]]{1,200}$/)
        expect(new Set(given.map((name) => name.toLowerCase())).size).to.equal(names.length)
      }),
    )
  })

  const marker = { cache_control: { type: 'ephemeral' } }
  it('adds a cache point after parts with cache_control', () => {
    const request = requestOf({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Long prompt', ...marker }] },
        {
          role: 'user',
          content: [
            { ...image(data('image/png')), cache_control: { type: 'ephemeral', ttl: '1h' } },
            { type: 'text', text: 'Hi' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'done', ...marker }] },
      ],
      tools: [{ ...weather, ...marker }],
    })
    const point = { cachePoint: { type: 'default' } }
    expect(request.system).to.deep.equal([{ text: 'Long prompt' }, point])
    expect(request.toolConfig?.tools).to.deep.equal([weatherSpec, point])
    expect(request.messages?.[0]?.content).to.deep.equal([
      { image: { format: 'png', source: { bytes: 'AAAA' } } },
      { cachePoint: { type: 'default', ttl: '1h' } },
      { text: 'Hi' },
    ])
    expect(request.messages?.[2]?.content).to.deep.equal([
      { toolResult: { toolUseId: 'c', content: [{ text: 'done' }] } },
      point,
    ])
  })

  it('does not change its input', () => {
    const request = {
      model: claude,
      messages: [user, { role: 'user', content: [file({ file_data: 'JVBE' })] }],
    }
    const before = structuredClone(request)
    requestOf(request)
    expect(request).to.deep.equal(before)
  })
})
