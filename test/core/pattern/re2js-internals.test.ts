/** The engine reads private members of re2js: this test fails when another version changes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { RE2JS } from 're2js'
import { type Prefilter, PrefilterType, readInternals } from '#pattern/re2js-internals'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/** Code, next instruction and argument of each instruction, and of the consuming ones a few characters they match. */
function programOf(pattern: string): string[] {
  const probes = [...'abkK0 \n', 'K', '😀']
  return readInternals(RE2JS.compile(pattern)).instructions.map((instruction) => {
    const { op, out, arg } = instruction
    const matched = probes.filter((letter) => instruction.matchRune(letter.codePointAt(0) ?? 0))
    return [op, out, arg, ...(op >= 8 ? [JSON.stringify(matched.join(''))] : [])].join(' ')
  })
}

const programs: [pattern: string, start: number, program: string[]][] = [
  ['a', 1, ['5 0 0', '9 2 0 "a"', '6 0 0']],
  ['a*', 2, ['5 0 0', '9 2 0 "a"', '1 1 3', '6 0 0']],
  ['a*?', 2, ['5 0 0', '9 2 0 "a"', '1 3 1', '6 0 0']],
  ['(a)|b', 5, ['5 0 0', '3 2 2', '9 3 0 "a"', '3 6 3', '9 6 0 "b"', '1 1 4', '6 0 0']],
  ['a{0}', 1, ['5 0 0', '7 2 0', '6 0 0']],
  ['^a$', 1, ['5 0 0', '4 2 4', '9 3 0 "a"', '4 4 8', '6 0 0']],
  ['(?m)^a$', 1, ['5 0 0', '4 2 1', '9 3 0 "a"', '4 4 2', '6 0 0']],
  ['\\ba\\B', 1, ['5 0 0', '4 2 16', '9 3 0 "a"', '4 4 32', '6 0 0']],
  ['(?i)k', 1, ['5 0 0', '8 2 1 "kKK"', '6 0 0']],
  ['[ab0]', 1, ['5 0 0', '8 2 0 "ab0"', '6 0 0']],
  ['.', 1, ['5 0 0', '11 2 0 "abkK0 K😀"', '6 0 0']],
  ['(?s).', 1, ['5 0 0', '10 2 0 "abkK0 \\nK😀"', '6 0 0']],
  ['[^\\x00-\\x{10FFFF}]', 0, ['5 0 0', '6 0 0']],
]

const classes: [pattern: string, bounds: number[]][] = [
  ['[a-cx]', [97, 100, 120, 121]],
  ['(?i)k', [75, 76, 107, 108, 8490, 8491]],
  ['.', [10, 11]],
  ['(?m)^', [10, 11]],
  ['\\b', [48, 58, 65, 91, 95, 96, 97, 123]],
  ['(?s).', []],
  ['[😀-😎]', [0x1f600, 0x1f60f]],
]

type Literals = string | { all: Literals[] } | { any: Literals[] } | null
function literalsOf(filter: Prefilter | null): Literals {
  if (filter === null) return null
  if (filter.type === PrefilterType.exact) return filter.str
  const subs = filter.subs.map(literalsOf)
  if (filter.type === PrefilterType.all) return { all: subs }
  return filter.type === PrefilterType.any ? { any: subs } : null
}

const literals: [pattern: string, prefix: string, isLiteral: boolean, startConditions: number, Literals][] = [
  ['abc', 'abc', true, 0, 'abc'],
  ['(ab)', 'ab', true, 0, 'ab'],
  ['abc.*', 'abc', false, 0, 'abc'],
  ['^abc', '', false, 4, 'abc'],
  ['(?m)^abc', '', false, 1, 'abc'],
  ['(?i)abc', '', false, 0, null],
  ['ab|cd', '', false, 0, { any: ['ab', 'cd'] }],
  ['x(?:foo|bar)y', 'x', false, 0, { all: ['x', { any: ['foo', 'bar'] }, 'y'] }],
  ['a*', '', false, 0, null],
]

describe('the private members of re2js', () => {
  it('belong to the exact version that package.json pins', () => {
    const wanted = readJson(join(root, 'core', 'pattern', 'package.json')).dependencies.re2js
    const main = createRequire(join(root, 'core', 'pattern', 'package.json')).resolve('re2js')
    expect(wanted).to.match(/^\d+\.\d+\.\d+$/)
    expect(readJson(join(main, '..', '..', 'package.json')).version).to.equal(wanted)
  })

  it('are used in one file', () => {
    const folder = join(root, 'core', 'pattern')
    const readers = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /\.re2(Input)?\b/.test(readFileSync(join(folder, file), 'utf8')))
    expect(readers).to.deep.equal(['re2js-internals.ts'])
  })

  for (const [pattern, start, program] of programs)
    it(`contain the program of ${pattern}`, () => {
      expect(programOf(pattern)).to.deep.equal(program)
      expect(readInternals(RE2JS.compile(pattern)).start).to.equal(start)
    })

  for (const [pattern, bounds] of classes)
    it(`contain the bounds of the character classes of ${pattern}`, () => {
      expect([...readInternals(RE2JS.compile(pattern)).classBounds]).to.deep.equal(bounds)
    })

  for (const [pattern, prefix, isLiteral, startConditions, required] of literals)
    it(`contain the literals of ${pattern}`, () => {
      const internals = readInternals(RE2JS.compile(pattern))
      expect(internals).to.include({ prefix, isLiteral, startConditions })
      expect(literalsOf(internals.prefilter)).to.deep.equal(required)
    })

  const broken: [what: string, change: object][] = [
    ['instructions', { prog: undefined }],
    ['instructions', { prog: { inst: undefined, start: 0 } }],
    ['instructions', { prog: { inst: [{ op: 12, out: 0, arg: 0, matchRune: () => true }], start: 0 } }],
    ['instructions', { prog: { inst: [{ op: 8, out: 0, arg: 0 }], start: 0 } }],
    ['start', { prog: { inst: [], start: undefined } }],
    ['character classes', { dfa: undefined }],
    ['start conditions', { cond: undefined }],
  ]
  for (const [what, change] of broken)
    it(`are an error when the ${what} are ${inspect(change, { breakLength: Number.POSITIVE_INFINITY, depth: 4 })}`, () => {
      const engine = Object.create(RE2JS.compile('a').re2())
      for (const [name, value] of Object.entries(change)) Object.defineProperty(engine, name, { value })
      expect(() => readInternals({ re2: () => engine })).to.throw(Error, `cannot read the ${what}`)
    })
})
