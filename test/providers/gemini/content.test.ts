/**
 * Images, audio and files → parts.
 * Source: https://ai.google.dev/gemini-api/docs/file-input-methods, https://ai.google.dev/gemini-api/docs/openai
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { Part } from '#kit/dialect/gemini/types'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { contentsOf } from './fixtures/chat.ts'

const partsOf = (part: JsonObject) => contentsOf([{ role: 'user', content: [part] }])[0]?.parts
const image = (url: string, rest: JsonObject = {}): JsonObject => ({
  type: 'image_url',
  image_url: { url, ...rest },
})
const file = (given: JsonObject): JsonObject => ({ type: 'file', file: given })
const uri = 'https://generativelanguage.googleapis.com/v1beta/files/abc'

const cases: [string, JsonObject, Part][] = [
  [
    'an image as a data URL',
    image('data:image/png;base64,AAAA'),
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
  ],
  [
    'an image as text of the older form',
    { type: 'image_url', image_url: 'data:image/webp;base64,AAAA' },
    { inlineData: { mimeType: 'image/webp', data: 'AAAA' } },
  ],
  [
    'an image by a URL whose name tells its type',
    image('https://host.example/cat.JPG?x=1', { detail: 'high' }),
    { fileData: { fileUri: 'https://host.example/cat.JPG?x=1', mimeType: 'image/jpeg' } },
  ],
  [
    'an image by a URL with its type next to it',
    image('https://host.example/cat', { mime_type: 'image/png' }),
    { fileData: { fileUri: 'https://host.example/cat', mimeType: 'image/png' } },
  ],
  [
    'Cloud Storage',
    image('gs://bucket/film.mp4'),
    { fileData: { fileUri: 'gs://bucket/film.mp4', mimeType: 'video/mp4' } },
  ],
  [
    'YouTube',
    image('https://www.youtube.com/watch?v=1'),
    { fileData: { fileUri: 'https://www.youtube.com/watch?v=1', mimeType: 'video/mp4' } },
  ],
  [
    'audio',
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
  ],
  [
    'a PDF as a data URL',
    file({ filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' }),
    { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
  ],
  [
    'a file as bare base64, its type told by its name',
    file({ filename: 'a.csv', file_data: 'AAAA' }),
    { inlineData: { mimeType: 'text/csv', data: 'AAAA' } },
  ],
  [
    'a file as bare base64 alone',
    file({ file_data: 'AAAA' }),
    { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
  ],
  ['an uploaded file by its name', file({ file_id: 'files/abc' }), { fileData: { fileUri: uri } }],
  [
    'an uploaded file by its URI and type',
    file({ file_id: uri, format: 'audio/wav' }),
    { fileData: { fileUri: uri, mimeType: 'audio/wav' } },
  ],
  [
    'a file by URL',
    file({ file_url: 'https://host.example/a.pdf' }),
    { fileData: { fileUri: 'https://host.example/a.pdf', mimeType: 'application/pdf' } },
  ],
]

describe('Gemini content', () => {
  for (const [what, part, sent] of cases) {
    it(`can contain ${what}`, () => expect(partsOf(part)).to.deep.equal([sent]))
  }

  const refused: [string, JsonObject, string][] = [
    ['an image that is not a URL', image('cat.png'), '/messages/0/content/0/image_url/url'],
    [
      'audio without data',
      { type: 'input_audio', input_audio: {} },
      '/messages/0/content/0/input_audio/data',
    ],
    ['a file without data', file({ filename: 'a.pdf' }), '/messages/0/content/0/file/file_data'],
    ['a file id of another vendor', file({ file_id: 'file-123' }), '/messages/0/content/0/file/file_id'],
    ['a part of another kind', { type: 'hologram' }, '/messages/0/content/0/type'],
  ]
  for (const [what, part, param] of refused) {
    it(`cannot contain ${what}`, () => {
      expect(gatewayErrorOf(() => partsOf(part))).to.include({ code: 'invalid_body', param })
    })
  }
})
