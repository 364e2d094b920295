/** Patterns behave like RE2: the automata are compared with the engine that parses the patterns. */
import { compilePattern } from '@gateway/pattern'
import { expect } from 'chai'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { assertProperty } from '../../support/assert-property.ts'

/**
 * Atoms, and texts of the same characters: case folding in several scripts, surrogate pairs and unpaired surrogates.
 */
const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'ab',
    '.',
    '(?s:.)',
    '[ab]',
    '[^a]',
    '\\w',
    '\\d',
    '\\s',
    '\\pL',
    'x{2}',
    '(?:)',
    '\n',
    'é',
    '😀',
  ],
  ...[
    '^',
    '$',
    '(?m:^)',
    '(?m:$)',
    '\\b',
    '\\B',
    '\\A',
    '\\z',
    '(?i:k)',
    '(?i:ſ)',
    '(?i:ß)',
    '[😀-😎]',
    '\\x{d800}',
  ],
)
const letters = [...'aabxk1_ \nsé', 'K', 'ſ', 'ẞ', '😀', '😃', '\ud800', '\udc00']
const text = fc.array(fc.constantFrom(...letters), { maxLength: 14 }).map((parts) => parts.join(''))
const repetition = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{0,2}', '{2}', '{1,3}?')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'pattern' },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    tie('pattern').map((inner) => `(${inner})`),
    fc.tuple(tie('pattern'), repetition).map(([inner, times]) => `(?:${inner})${times}`),
    fc.tuple(tie('pattern'), repetition).map(([inner, times]) => `(${inner})${times}`),
  ),
}))
const replacement = fc.constantFrom('-', '<$1>', '[$&]', '$`|', "$'", '$$', '$2$1', '$10', '$<a>', '$')

function compileReference(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source)
  } catch {
    return null
  }
}

function findReference(compiled: RE2JS, subject: string, limit: number): { start: number; end: number }[] {
  const matcher = compiled.matcher(subject)
  const found: { start: number; end: number }[] = []
  while (found.length < limit && matcher.find()) found.push({ start: matcher.start(), end: matcher.end() })
  return found
}

const cases: [rule: string, subject: string, found: string[]][] = [
  ['a+', 'baaac', ['aaa']],
  ['/A+/i', 'baAc', ['aA']],
  ['a|ab', 'ab', ['a']],
  ['ab|a', 'ab', ['ab']],
  ['a*', 'ba', ['', 'a', '']],
  ['a*?', 'a', ['', '']],
  ['^a', 'aa', ['a']],
  ['/^a/m', 'a\na', ['a', 'a']],
  ['a$', 'a\na', ['a']],
  ['\\bcat\\b', 'cat concat cat', ['cat', 'cat']],
  ['/a.b/', 'a\nb', []],
  ['/a.b/s', 'a\nb', ['a\nb']],
  ['.', 'a😀', ['a', '😀']],
  ['(?i)straße', 'STRAßE', ['STRAßE']],
  ['(?i)k', 'K', ['K']],
  ['(a+)+$', 'aaab', []],
  ['secret', 'a secret secretary', ['secret', 'secret']],
  ['x*y', 'xxy y', ['xxy', 'y']],
]

describe('a pattern', () => {
  for (const [rule, subject, found] of cases)
    it(`${rule} finds ${JSON.stringify(found)} in ${JSON.stringify(subject)}`, () => {
      const compiled = compilePattern(rule)
      const spans = compiled.find(subject, 10)
      expect(spans.map(({ start, end }) => subject.slice(start, end))).to.deep.equal(found)
      expect(compiled.test(subject)).to.equal(found.length > 0)
    })

  it('matches the same texts as re2', () => {
    assertProperty(
      fc.property(pattern, text, fc.constantFrom(1, 2, 30), (source, subject, limit) => {
        const reference = compileReference(source)
        if (reference === null) return
        const compiled = compilePattern(`(?:${source})`)
        expect(compiled.test(subject)).to.equal(reference.test(subject))
        expect(compiled.find(subject, limit)).to.deep.equal(findReference(reference, subject, limit))
      }),
      { numRuns: 1500 },
    )
  })

  it('replaces the same matches as re2', () => {
    assertProperty(
      fc.property(pattern, text, replacement, (source, subject, written) => {
        const reference = compileReference(source)
        if (reference === null) return
        const compiled = compilePattern(`(?:${source})`)
        expect(compiled.replace(subject, written)).to.equal(reference.matcher(subject).replaceAll(written))
      }),
      { numRuns: 1500 },
    )
  })

  it('replaces named groups', () => {
    const compiled = compilePattern('(?P<first>\\w+) (?P<last>\\w+)')
    expect(compiled.replace('Ada Byron', '$<last>, $<first>$<none>')).to.equal('Byron, Ada')
  })

  it('returns the same result again after other matches in between', () => {
    const compiled = compilePattern('[ab]*a[ab]{12}c')
    const subject = `${'ab'.repeat(5000)}c`
    const first = compiled.find(subject, 3)
    compiled.find('ba'.repeat(4000), 3)
    expect(compiled.find(subject, 3)).to.deep.equal(first)
  })

  for (const [rule, message] of [
    ['(', 'missing'],
    ['a(?=b)', 'perl'],
    ['(a)\\1', 'escape'],
    ['/a/q', 'unknown flag "q"'],
    ['a{1000}'.repeat(70), 'too large'],
  ] as const)
    it(`is refused when it is ${rule.slice(0, 30)}`, () => {
      expect(() => compilePattern(rule)).to.throw(Error, new RegExp(message, 'i'))
    })
})
