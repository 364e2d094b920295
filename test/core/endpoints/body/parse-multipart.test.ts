/** Valid and invalid multipart forms. */
import { GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { boundaryOf, parseMultipart } from '#core/endpoints/body/parse-multipart'
import { multipart } from '#kit/multipart'
import { assertProperty } from '../../../support/assert-property.ts'

const limits = { maxFields: 100, maxFiles: 100, maxFieldBytes: 1e9, maxFileBytes: 1e9 }

/** A body that arrives in chunks of this size. */
async function* pieces(body: Buffer, size = body.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

/** Parses a form, which is written with LF line breaks and sent with CRLF. */
const read = (text: string, some: Partial<typeof limits> = {}) =>
  parseMultipart(pieces(Buffer.from(text.replaceAll('\n', '\r\n'))), 'B', { ...limits, ...some })

const refusal = (reading: Promise<unknown>): Promise<GatewayError> =>
  reading.then(
    () => expect.fail('the form was read'),
    (error) => error,
  )

const named = (name: string) => `--B\ncontent-disposition: form-data; name="${name}"\n\n`

describe('a multipart form', () => {
  const fields: [what: string, text: string, name: string, value: string][] = [
    ['in quotes', `${named('a')}hello\n--B--\n`, 'a', 'hello'],
    [
      'without quotes',
      '--B\ncontent-disposition: form-data; name=response_format\n\ntext\n--B--',
      'response_format',
      'text',
    ],
    ['in capitals', '--B\nContent-Disposition: Form-Data; NAME="a"\n\nhello\n--B--', 'a', 'hello'],
    [
      'with a type',
      '--B\nContent-Type: text/plain; charset=utf-8\nContent-Disposition: form-data; name=a\n\nhello\n--B--',
      'a',
      'hello',
    ],
    ...['7bit', '8bit', 'binary', 'Binary'].map((encoding): [string, string, string, string] => [
      `with the transfer encoding ${encoding}`,
      `--B\ncontent-disposition: form-data; name="a"\ncontent-transfer-encoding: ${encoding}\n\né\n--B--`,
      'a',
      'é',
    ]),
    [
      'in base64',
      '--B\ncontent-disposition: form-data; name="a"\ncontent-transfer-encoding: base64\n\naGVs\nbG8=\n--B--',
      'a',
      'hello',
    ],
    ['with quotes in its name', `${named('a%22b')}x\n--B--`, 'a"b', 'x'],
    ['with escaped quotes in its name', `${named('a\\"b')}x\n--B--`, 'a"b', 'x'],
    [
      'with a value that looks like the end',
      `${named('a')}x\n--A\n-B\nB--\n--B--`,
      'a',
      'x\r\n--A\r\n-B\r\nB--',
    ],
    ['with an empty value', `${named('a')}\n--B--`, 'a', ''],
    ['after a preamble', `hello\n${named('a')}x\n--B--\nbye`, 'a', 'x'],
    ['called __proto__', `${named('__proto__')}x\n--B--`, '__proto__', 'x'],
  ]
  for (const [what, text, name, value] of fields) {
    it(`contains a field ${what}`, async () => {
      expect(await read(text)).to.deep.equal({ fields: [{ name, value }], files: [] })
    })
  }

  const files: [what: string, head: string, filename: string, contentType: string][] = [
    [
      'with its type',
      'content-disposition: form-data; name="file"; filename="a.wav"\ncontent-type: audio/wav',
      'a.wav',
      'audio/wav',
    ],
    [
      'without a type',
      'content-disposition: form-data; name="file"; filename="a.wav"',
      'a.wav',
      'application/octet-stream',
    ],
    [
      'named in two ways',
      "content-disposition: form-data; name=file; filename=a.wav; filename*=utf-8''na%C3%AFve.wav",
      'naïve.wav',
      'application/octet-stream',
    ],
    [
      'named in a charset that is not known',
      "content-disposition: form-data; name=file; filename=a.wav; filename*=koi8-r''%C1.wav",
      'a.wav',
      'application/octet-stream',
    ],
    [
      'whose name has semicolons and spaces',
      'content-disposition: form-data; name="file"; filename="a; b=c.wav"',
      'a; b=c.wav',
      'application/octet-stream',
    ],
    [
      'without a name',
      'content-disposition: form-data; name="file"; filename=""',
      '',
      'application/octet-stream',
    ],
  ]
  for (const [what, head, filename, contentType] of files) {
    it(`contains a file ${what}`, async () => {
      const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10])
      const body = Buffer.concat([
        Buffer.from(`--B\n${head}\n\n`.replaceAll('\n', '\r\n')),
        bytes,
        Buffer.from('\r\n--B--'),
      ])
      const form = await parseMultipart(pieces(body), 'B', limits)
      expect(form).to.deep.equal({ fields: [], files: [{ field: 'file', filename, contentType, bytes }] })
    })
  }

  it('contains no file when none was chosen, and can be empty', async () => {
    const { files } = await read('--B\ncontent-disposition: form-data; name="file"; filename=""\n\n\n--B--')
    expect(files).to.deep.equal([])
    expect(await read('--B--')).to.deep.equal({ fields: [], files: [] })
  })

  it('is parsed to its exact fields and files, whatever they contain and however the bytes are split', async () => {
    // Names stay unchanged except for escapes such as `%22`, which are decoded.
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/%22|%0D|%0A|\\/i.test(text))
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\r\n--', '\r\n', '--', '\r\n\r\n'),
    )
    const file = fc.record({
      field: name,
      filename: name,
      contentType: fc.constantFrom('audio/wav', 'text/plain; charset=utf-8'),
      bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    })
    await assertProperty(
      fc.asyncProperty(
        fc.dictionary(name, value, { maxKeys: 5 }),
        fc.array(file, { maxLength: 3 }),
        fc.integer({ min: 1, max: 400 }),
        async (fields, files, size) => {
          const { contentType, bytes } = multipart(fields, files)
          const boundary = boundaryOf(contentType)
          const form = await parseMultipart(pieces(bytes, size), boundary ?? '', limits)
          expect(form.fields).to.deep.equal(Object.entries(fields).map(([name, value]) => ({ name, value })))
          expect(form.files).to.deep.equal(files)
        },
      ),
    )
  })

  const broken: [what: string, text: string][] = [
    ['that is empty', ''],
    ['without its boundary', 'hello'],
    ['that ends in the middle of a part', `${named('a')}hello`],
    ['that ends without its last boundary', `${named('a')}hello\n--B\n`],
    ['with a part that has no headers', '--B\n\nhello\n--B--'],
    ['with a part that has no name', '--B\ncontent-disposition: form-data\n\nhello\n--B--'],
    ['with a part of another kind', '--B\ncontent-disposition: attachment; name="a"\n\nhello\n--B--'],
    ['with a line that is not a header', '--B\nhello\n\nhello\n--B--'],
    ['with headers that do not end', `--B\nx: ${'x'.repeat(20_000)}\n\nhello\n--B--`],
    // RFC 2046: a line that begins with the delimiter is a delimiter, whatever follows.
    ['with a line that begins as its boundary', `${named('a')}x\n--Bee\n--B--`],
    [
      'with a transfer encoding that is not known',
      '--B\ncontent-disposition: form-data; name="a"\ncontent-transfer-encoding: rot13\n\nx\n--B--',
    ],
  ]
  for (const [what, text] of broken) {
    it(`${what} is refused`, async () => {
      const { code, message } = await refusal(read(text))
      expect(code).to.equal('invalid_body')
      expect(message).to.match(/^The form cannot be read: /)
    })
  }

  const fields101 = `${named('a')}x\n`.repeat(101)
  const file = named('f').replace('"f"', '"f[]"; filename="f"')
  const tooLarge: [
    what: string,
    text: string,
    limits: Partial<typeof limits>,
    param: string,
    message: RegExp,
  ][] = [
    ['too many fields', fields101, {}, '/', /more than 100 fields/],
    ['too many files', `${file}x\n${file}x\n`, { maxFiles: 1 }, '/', /more than 1 files/],
    [
      'fields that are too large together',
      `${named('a')}xy\n${named('b')}xy\n`,
      { maxFieldBytes: 3 },
      '/',
      /larger than 3 bytes/,
    ],
    ['a file that is too large', `${file}xyz\n`, { maxFileBytes: 2 }, '/f', /larger than 2 bytes/],
  ]
  for (const [what, text, some, param, message] of tooLarge) {
    it(`with ${what} is refused`, async () => {
      const error = await refusal(read(`${text}--B--`, some))
      expect(error).to.include({ code: 'body_too_large', param })
      expect(error.message).to.match(message)
    })
  }

  it('that is too large is refused before it has arrived completely', async () => {
    let sent = 0
    let isClosed = false
    const source = (async function* () {
      try {
        yield Buffer.from(`${file}`.replaceAll('\n', '\r\n'))
        for (; sent < 1000; sent += 1) yield Buffer.alloc(1000)
      } finally {
        isClosed = true
      }
    })()
    const { code } = await refusal(parseMultipart(source, 'B', { ...limits, maxFileBytes: 10_000 }))
    expect(code).to.equal('body_too_large')
    expect(sent).to.be.below(200)
    expect(isClosed).to.equal(true)
  })

  it('is refused with the error of its source when the source fails', async () => {
    const left = new GatewayError('client_closed_request', 'The client left.')
    // biome-ignore lint/correctness/useYield: it fails before the first chunk.
    const source = (async function* (): AsyncGenerator<Buffer> {
      throw left
    })()
    expect(await refusal(parseMultipart(source, 'B', limits))).to.equal(left)
  })

  it('of arbitrary bytes is parsed or refused, and never throws anything else', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          '--B',
          '\r\n--B',
          '\r\n',
          'content-disposition: form-data; name="',
          '"',
          '; filename="',
          '--',
        )
        .map((text) => Buffer.from(text)),
    )
    const size = fc.integer({ min: 1, max: 100 })
    await assertProperty(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), size, async (parts, size) => {
        try {
          await parseMultipart(pieces(Buffer.concat(parts), size), 'B', limits)
        } catch (error) {
          expect(error).to.have.property('code', 'invalid_body')
        }
      }),
    )
  })

  it('takes linear time for adversarial headers', async () => {
    const head = (text: string) => `--B\r\ncontent-disposition: form-data; name="a"${text}\r\n\r\nx\r\n`
    for (const text of [
      '; a="'.repeat(3000),
      '; a=\\"'.repeat(2500),
      ';'.repeat(16_000),
      '; filename="\\'.repeat(1200),
    ]) {
      // CPU time is measured, because wall time is meaningless on a busy machine.
      const before = process.cpuUsage()
      await parseMultipart(pieces(Buffer.from(`${head(text).repeat(50)}--B--`)), 'B', limits)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000).to.be.below(2000)
    }
  })
})

describe('the boundary parameter of a content type', () => {
  const cases: [contentType: string, boundary: string | null][] = [
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data;boundary=abc; charset=utf-8', 'abc'],
    ['multipart/form-data; charset=utf-8; Boundary="a b:c"', 'a b:c'],
    ['multipart/form-data; boundary=json-boundary', 'json-boundary'],
    ['multipart/form-data', null],
    [`multipart/form-data; boundary="${'é'.repeat(200)}"`, null],
    ['multipart/form-data; boundary=', null],
  ]
  for (const [contentType, boundary] of cases) {
    it(contentType, () => {
      expect(boundaryOf(contentType)).to.equal(boundary)
    })
  }
})
