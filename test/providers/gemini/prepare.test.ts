/** The media that are fetched and inlined before the dialect runs, and those that the vendor fetches itself. */
import { GatewayError, type JsonObject } from '@gateway/contract'
import { inlineGeminiMedia } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext, createIo } from '../fixtures/context.ts'

const image = (url: string, rest: JsonObject = {}): JsonObject => ({
  type: 'image_url',
  image_url: { url, ...rest },
})
const bodyOf = (content: JsonObject[], model = 'gemini-2.5-pro'): JsonObject => ({
  model,
  messages: [
    { role: 'system', content: 'x' },
    { role: 'user', content },
  ],
})
const settings = { provider: 'google' }

async function fetchedOf(part: JsonObject, model?: string): Promise<string[]> {
  const io = createIo(() => ({ headers: { 'content-type': 'image/png' }, bytes: Buffer.from('A') }))
  await inlineGeminiMedia(bodyOf([part], model), createContext({ settings }), io)
  return io.fetched.map(({ url }) => url)
}

describe('Gemini media', () => {
  const cases: [string, JsonObject, boolean, string?][] = [
    ['an https image with a known ending', image('https://h.example/a.png'), false],
    ['the same for a model that takes no URLs', image('https://h.example/a.png'), true, 'gemini-2.0-flash'],
    ['the same for a model without a version', image('https://h.example/a.png'), true, 'gemma-4-31b-it'],
    ['an https image without an ending', image('https://h.example/a'), true],
    ['the same with its type', image('https://h.example/a', { format: 'image/png' }), false],
    ['an http image', image('http://h.example/a.png'), true],
    ['an image of a type that the vendor does not fetch', image('https://h.example/a.gif'), true],
    ['a data URL', image('data:image/png;base64,AAAA'), false],
    ['Cloud Storage', image('gs://bucket/a'), false],
    ['YouTube', image('https://youtu.be/1'), false],
    ["the vendor's own file", image('https://generativelanguage.googleapis.com/v1beta/files/1'), false],
    ['a file by URL', { type: 'file', file: { file_url: 'https://h.example/a' } }, true],
    ['text', { type: 'text', text: 'https://h.example/a' }, false],
  ]
  for (const [what, part, isFetched, model] of cases) {
    it(`${isFetched ? 'are fetched' : 'are forwarded as URLs'}: ${what}`, async () => {
      expect(await fetchedOf(part, model)).to.have.length(isFetched ? 1 : 0)
    })
  }

  it('keep their position among other parts', async () => {
    const io = createIo(() => ({ headers: { 'content-type': 'image/gif' }, bytes: Buffer.from('A') }))
    const given = bodyOf([{ type: 'text', text: 'See' }, image('http://h.example/a'), image('gs://b/c.png')])
    const before = structuredClone(given)
    expect(await inlineGeminiMedia(given, createContext({ settings }), io)).to.deep.equal(
      bodyOf([{ type: 'text', text: 'See' }, image('data:image/gif;base64,QQ=='), image('gs://b/c.png')]),
    )
    expect(given).to.deep.equal(before)
  })

  it('that cannot be fetched are reported with their path', async () => {
    const io = createIo(() => {
      throw new GatewayError('dependency_unavailable', 'no')
    })
    const given = bodyOf([{ type: 'text', text: 'See' }, image('http://h.example/a')])
    let param: string | null = null
    await inlineGeminiMedia(given, createContext({ settings }), io).catch((error: GatewayError) => {
      param = error.param
    })
    expect(param).to.equal('/messages/1/content/1')
  })
})
