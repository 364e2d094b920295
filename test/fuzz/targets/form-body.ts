/** The form of a request: its bytes as fields and files, and the fields as the body that the schema describes. */
import { expect } from 'chai'
import fc from 'fast-check'
import { formBody } from '#core/endpoints/body/form-body'
import { parseMultipart } from '#core/endpoints/body/parse-multipart'
import { endpointOf } from '../../support/endpoints.ts'
import { inReads, refusesWith } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const limits = { maxFields: 10, maxFiles: 3, maxFieldBytes: 500, maxFileBytes: 500 }
const name = fc.oneof(
  fc.constantFrom(
    'model',
    'temperature',
    'timestamp_granularities[]',
    'a[b][]',
    'a[b][c]',
    'a[]',
    'a',
    'a[__proto__]',
  ),
  fc.constantFrom('__proto__', 'constructor', 'a[', 'a]', '[]', `a${'[b]'.repeat(9)}`, '%22', '\\"', '\\'),
  fc.string({ maxLength: 5 }),
)
const content = fc.oneof(
  fc.constantFrom('1', 'true', '[1', '["a"]', '{"__proto__":1}', ''),
  fc.string({ maxLength: 8 }),
)
const extra = fc.constantFrom(
  ...['', '', '', '; filename="f"', '; filename=""', "; filename*=utf-8''%E0", '; x="', ';;;'],
  ...['\r\ncontent-type: audio/wav', '\r\ncontent-transfer-encoding: base64', '\r\nx', '\r\nx: y\r\n z'],
)
const part = fc
  .tuple(name, extra, content)
  .map(
    ([field, more, text]) =>
      `--B\r\ncontent-disposition: form-data; name="${field}"${more}\r\n\r\n${text}\r\n`,
  )
const piece = fc.oneof(
  { weight: 8, arbitrary: part.map((text) => Buffer.from(text)) },
  fc.constantFrom('--B', '\r\n', '\r\n--B--', '\r\n--B', '--', '"').map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 20 }).map((some) => Buffer.from(some)),
)

export const form = defineTarget({
  name: 'form-body',
  input: fc.record({
    bytes: fc
      .tuple(fc.array(piece, { maxLength: 8 }), fc.constantFrom('--B--\r\n', '--B--', '', '--B'))
      .map(([pieces, end]) => Buffer.concat([...pieces, Buffer.from(end)])),
    sizes: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 }),
  }),
  async read({ bytes, sizes }) {
    const source = (async function* () {
      yield* inReads(bytes, sizes)
    })()
    const { fields, files } = await parseMultipart(source, 'B', limits)
    return { fields, files, body: formBody(fields, endpointOf('createTranscription').request ?? undefined) }
  },
  mayThrow: refusesWith('invalid_body', 'body_too_large'),
  check({ fields, files, body }) {
    expect(fields.length).to.be.at.most(limits.maxFields)
    expect(files.length).to.be.at.most(limits.maxFiles)
    for (const { bytes } of files) expect(bytes.length).to.be.at.most(limits.maxFileBytes)
    expect(Object.keys(body).length).to.be.at.most(fields.length)
    expect(Object.keys(body).length > 0).to.equal(fields.length > 0)
    expect(JSON.parse(JSON.stringify(body))).to.deep.equal(body)
  },
})
