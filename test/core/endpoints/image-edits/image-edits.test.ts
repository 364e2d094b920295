/**
 * `/v1/images/edits`: takes a form with images, or JSON that refers to them, and returns JSON, or events with images.
 */
import { expect } from 'chai'
import { type FileField, form, readForm, sound } from '../../../support/form.ts'
import { adminKey, configHeader } from '../../../support/gateway.ts'
import { openScene, tree } from '../../../support/scene.ts'
import { type Handler, sendEvents, sendJson } from '../../../support/upstream.ts'

const path = '/v1/images/edits'
const answer = {
  created: 1,
  data: [{ b64_json: 'AAAA' }],
  usage: { input_tokens: 7, output_tokens: 9, total_tokens: 16 },
}
const paints: Handler = (_request, response) => sendJson(response, 200, answer)
const png: FileField = { field: 'image', filename: 'a.png', type: 'image/png' }

describe('an image edit', () => {
  const scene = openScene()
  const ask = (config: unknown, fields: [string, string][], ...files: FileField[]) =>
    fetch(scene.gateway.url + path, {
      method: 'POST',
      headers: { 'x-gateway-api-key': adminKey, ...configHeader(config) },
      body: form([['prompt', 'A hat.'], ...fields], ...files),
    })

  it('is requested with the same form', async () => {
    scene.answers = { a: paints }
    const fields: [string, string][] = [
      ['n', '2'],
      ['size', '1024x1024'],
      ['house_rule', '007'],
    ]
    const mask = { ...png, field: 'mask', filename: 'm.png', bytes: Buffer.from([1, 2, 3]) }
    const response = await ask(scene.leaf('a'), fields, png, mask)
    expect(response.status).to.equal(200)
    expect(await response.json()).to.deep.equal(answer)
    const seen = scene.seen('a')
    expect(seen.path).to.equal('/a/v1/images/edits')
    expect((await readForm(seen)).fields).to.deep.equal([['prompt', 'A hat.'], ...fields])
    expect((await readForm(seen)).files).to.deep.equal([
      { field: 'image', filename: 'a.png', contentType: 'image/png', bytes: sound },
      { field: 'mask', filename: 'm.png', contentType: 'image/png', bytes: mask.bytes },
    ])
  })

  for (const field of ['image', 'image[]']) {
    it(`can have several images, written ${field}`, async () => {
      scene.answers = { a: paints }
      await ask(scene.leaf('a'), [], { ...png, field }, { ...png, field, filename: 'b.png' })
      expect(
        (await readForm(scene.seen('a'))).files.map((file) => [file.field, file.filename]),
      ).to.deep.equal([
        ['image[]', 'a.png'],
        ['image[]', 'b.png'],
      ])
    })
  }

  it('is sent in full to every attempted target', async () => {
    scene.answers = { a: 500, b: paints }
    const response = await ask(tree('fallback', [scene.leaf('a'), scene.leaf('b')]), [], png)
    expect(await response.json()).to.deep.equal(answer)
    expect((await readForm(scene.seen('b'))).files[0]?.bytes).to.deep.equal(sound)
  })

  it('can refer to its images in JSON, which is forwarded as JSON', async () => {
    scene.answers = { a: paints }
    const body = {
      prompt: 'A hat.',
      images: [{ image_url: 'https://a.example/b.png' }, { file_id: 'file-1' }],
    }
    const reply = await scene.ask(scene.leaf('a'), { path, body })
    expect(reply.body).to.deep.equal(answer)
    expect(scene.seen('a').json).to.deep.equal(body)
    expect(scene.seen('a').headers['content-type']).to.equal('application/json')
  })

  it('as a stream has named events', async () => {
    const partial =
      'event: image_edit.partial_image\ndata: {"type":"image_edit.partial_image","b64_json":"AA"}\n\n'
    const first = 'event: image_edit.completed\ndata: {"type":"image_edit.completed","b64_json":"AAAA"}\n\n'
    const second = 'event: image_edit.completed\ndata: {"type":"image_edit.completed","b64_json":"BBBB"}\n\n'
    scene.answers = { a: (_request, response) => sendEvents(response, [partial, first, second]) }
    const response = await ask(scene.leaf('a'), [['stream', 'true']], png)
    expect(response.headers.get('content-type')).to.equal('text/event-stream')
    expect(await response.text()).to.equal(`${partial}${first}${second}data: [DONE]\n\n`)
  })

  it('as a stream ends with an error when the upstream breaks off', async () => {
    const partial = 'data: {"type":"image_edit.partial_image","b64_json":"AA"}\n\n'
    scene.answers = { a: (_request, response) => sendEvents(response, [partial]) }
    const text = await (await ask(scene.leaf('a'), [['stream', 'true']], png)).text()
    expect(text).to.contain('upstream_invalid_response').and.not.to.contain('[DONE]')
  })

  it('is refused when the answer has another format', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, { 'content-type': 'image/png' })
        response.end(sound)
      },
    }
    const response = await ask(scene.leaf('a'), [], png)
    expect(response.status).to.equal(502)
    expect(await response.json()).to.have.nested.property('error.code', 'upstream_invalid_response')
  })

  it('is checked by input guardrails on its prompt', async () => {
    const guard = { deny: true, contains: { operator: 'none', words: ['hat'] } }
    expect((await ask(scene.leaf('a', { input_guardrails: [guard] }), [], png)).status).to.equal(446)
    expect(scene.calls()).to.deep.equal([])
  })

  const refused: [fields: [string, string][], param: string][] = [
    [[['n', '0']], '/n'],
    [[['n', 'many']], '/n'],
    [[['response_format', 'png']], '/response_format'],
    [[['partial_images', '4']], '/partial_images'],
    [[['stream', 'perhaps']], '/stream'],
    [[['prompt', 'twice']], '/prompt'],
  ]
  for (const [fields, param] of refused) {
    it(`is refused with 400 and the path for ${JSON.stringify(fields)}`, async () => {
      const response = await ask({ provider: 'echo' }, fields, png)
      expect(response.status).to.equal(400)
      const { error } = (await response.json()) as { error: object }
      expect(error).to.include({ code: 'invalid_body', param })
    })
  }

  const bodies: [body: Record<string, unknown>, code: string, param: string][] = [
    [{ prompt: 'p' }, 'invalid_file', '/image'],
    [{ prompt: 'p', images: [] }, 'invalid_body', '/images'],
    [{ prompt: 'p', images: ['x'] }, 'invalid_body', '/images/0'],
    [{ images: [{ file_id: 'f' }] }, 'invalid_body', '/prompt'],
  ]
  for (const [body, code, param] of bodies) {
    it(`is refused with 400 and the path for ${JSON.stringify(body)}`, async () => {
      const { status, error } = await scene.ask({ provider: 'echo' }, { path, body })
      expect(status).to.equal(400)
      expect(error).to.include({ code, param })
    })
  }
})
