/** Bodies that are logged as they were written: the same as if they had been parsed, without media. */
import { parseJson } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { keptBody, keptText } from '#domain/logs/contents'
import { assertProperty } from '../../support/assert-property.ts'

const maxBytes = 10_000
const object = fc.dictionary(fc.string(), fc.jsonValue())

describe('the logged text of a body', () => {
  it('is stored unchanged, with the same content', () => {
    assertProperty(
      fc.property(object, fc.constantFrom(undefined, 1), (body, indent) => {
        const written = JSON.stringify(body, null, indent)
        const kept = keptText(written, maxBytes)
        if (kept === null) return
        expect(kept.isTruncated).to.equal(false)
        expect(parseJson(kept.text)).to.deep.equal(parseJson(keptBody(body, maxBytes).text))
      }),
      { numRuns: 1000 },
    )
  })

  const base64 = 'aGVsbG8gd29ybGQ='
  const withMedia: [string, string][] = [
    ['a data URL', `{"url": "data:image/png;base64,${base64}"}`],
    ['a base64 member', `{"b64_json": "${base64}"}`],
    ['audio behind a space', `{"input_audio": {"data": "${base64}", "format": "wav"}}`],
    ['bytes behind a line break', `{"image": {"bytes" :\t"${base64}", "format": "png"}}`],
    ['an escaped name', `{"b64\\u005fjson": "${base64}"}`],
  ]
  for (const [name, written] of withMedia)
    it(`is not stored unchanged when it contains media: ${name}`, () => {
      expect(keptText(written, maxBytes)).to.equal(null)
      expect(keptBody(parseJson(written), maxBytes).text).to.not.include(base64)
    })

  const others: [string, string][] = [
    ['text that a search would not find', '{"a":"w\\u00f6rld"}'],
    ['escaped slashes', '{"a":"b\\/c"}'],
    ['several lines', '{\n  "a": 1\n}'],
    ['more bytes than are kept', `{"a":"${'x'.repeat(maxBytes)}"}`],
    ['no object', '"text"'],
  ]
  for (const [name, written] of others)
    it(`is not stored unchanged with ${name}`, () => {
      expect(keptText(written, maxBytes)).to.equal(null)
    })
})
