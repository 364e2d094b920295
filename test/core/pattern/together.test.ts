/** Patterns that are compiled together share a bound, and equal ones are compiled once. */
import { compilePattern, compileTogether, countSize, TooLargeError } from '@gateway/pattern'
import { expect } from 'chai'

/** A third of the bound and less. */
const third = '\\pL{400}'

describe('patterns that are compiled together', () => {
  const compileAll = (rules: readonly string[]) => compileTogether(() => rules.map(compileOne))
  const compileOne = (rule: string) => compilePattern(rule)
  const large = Array.from({ length: 4 }, (_, index) => `${third}${index}`)

  it('are refused when their sum is too large', () => {
    for (const rule of large) expect(compilePattern(rule).test('1')).to.equal(false)
    expect(() => compileAll(large)).to.throw(TooLargeError, 'too large together')
  })

  it('count once when they are equal', () => {
    const [first, ...others] = compileAll(Array.from({ length: 50 }, () => third))
    expect(others.every((other) => other === first)).to.equal(true)
  })

  it('are counted in the outermost set', () => {
    const inner = () => compileAll([String(large[0]), String(large[1])])
    expect(inner()).to.have.length(2)
    expect(() =>
      compileTogether(() => {
        compileAll(large.slice(2))
        inner()
      }),
    ).to.throw(TooLargeError)
  })

  it('leave the bound of the next set whole, also after an error', () => {
    expect(() => compileAll([String(large[0]), '('])).to.throw('missing')
    expect(compileAll(large.slice(0, 1))).to.have.length(1)
    expect(() => countSize(1_000_000)).not.to.throw()
  })
})
