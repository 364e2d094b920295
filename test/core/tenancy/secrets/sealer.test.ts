/** Secrets at rest: sealed texts cannot be read or changed without the master key, and can be moved to a new key. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { assertProperty } from '../../../support/assert-property.ts'
import { sealWithout } from '../../../support/unbound-seal.ts'

const masterKey = randomBytes(32)
const sealer = createSealer(masterKey)
const record = 'config/1'

describe('sealed secrets', () => {
  it('open to the original text, for any text', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(sealer.open(sealer.seal(text, record), record)).to.equal(Buffer.from(text).toString())
      }),
    )
  })

  it('differ each time, and do not contain their text', () => {
    const secret = 'sk-live-0123456789abcdef'
    const [first, second] = [sealer.seal(secret, record), sealer.seal(secret, record)]
    expect(first).not.to.equal(second)
    expect(first).not.to.contain(secret)
    expect(first).not.to.contain(Buffer.from(secret).toString('base64url'))
  })

  it('cannot be opened after any change', () => {
    const sealed = sealer.seal('a secret', record)
    const start = sealed.indexOf(':', 'sealed:2:'.length) + 1
    for (let at = start; at < sealed.length; at += 3) {
      if (sealed[at] === ':') continue
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      // The last character of base64 can contain unused bits.
      if (
        Buffer.from(changed.split(':')[4] ?? '', 'base64url').equals(
          Buffer.from(sealed.split(':')[4] ?? '', 'base64url'),
        ) &&
        Buffer.from(changed.split(':')[3] ?? '', 'base64url').equals(
          Buffer.from(sealed.split(':')[3] ?? '', 'base64url'),
        )
      )
        continue
      expect(() => sealer.open(changed, record), `at ${at}`).to.throw(/cannot be read/)
    }
  })

  it('cannot be opened with another master key, and the error does not contain the text', () => {
    const sealed = sealer.seal('a secret', record)
    expect(() => createSealer(randomBytes(32)).open(sealed, record))
      .to.throw(/another master key/)
      .and.not.match(/a secret/)
  })

  for (const text of ['', 'plain', 'sealed:2', 'sealed:2:::', 'sealed:1:a:b:c', 'sealed:3:a:b:c']) {
    it(`do not include "${text}"`, () => {
      expect(() => sealer.open(text, record)).to.throw(/cannot be read/)
    })
  }

  it('are resealed under a new master key without decryption of the text, and no longer open with the old one', () => {
    const next = createSealer(randomBytes(32), [masterKey])
    const sealed = sealer.seal('a secret', record)
    expect(next.open(sealed, record), 'until it is wrapped again').to.equal('a secret')
    const moved = next.rewrap(sealed)
    expect(next.open(moved, record)).to.equal('a secret')
    expect(() => sealer.open(moved, record)).to.throw(/another master key/)
    expect(next.rewrap(moved)).to.equal(moved)
    expect(moved.slice(moved.lastIndexOf(':'))).to.equal(sealed.slice(sealed.lastIndexOf(':')))
  })

  it('cannot be opened as part of another record', () => {
    const sealed = sealer.seal('a secret', record)
    expect(() => sealer.open(sealed, 'config/2')).to.throw(/cannot be read/)
    expect(() => sealer.open(sealed, 'guardrail/1')).to.throw(/cannot be read/)
    expect(sealer.bind(sealed, 'config/2'), 'a bound text is not bound again').to.equal(sealed)
  })

  it('of an earlier version open only after they are bound to their record', () => {
    const unbound = sealWithout(masterKey, 'an old secret')
    expect(() => sealer.open(unbound, record)).to.throw(/earlier version/)
    const bound = sealer.bind(unbound, record)
    expect(sealer.open(bound, record)).to.equal('an old secret')
    const next = createSealer(randomBytes(32), [masterKey])
    expect(next.open(next.bind(next.rewrap(unbound), record), record)).to.equal('an old secret')
  })
})
