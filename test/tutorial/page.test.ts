/** Parsing the tutorial: commands to run, files to write, and expected outputs. */
import { expect } from 'chai'
import { patternOf, readSteps } from './page.ts'

const fence = '```'
const block = (language: string, text: string) => `${fence}${language}\n${text}\n${fence}\n`

describe('a parsed tutorial page', () => {
  it('contains commands with their output, and files', () => {
    const page = `Run\n\n${block('sh', 'ls')}\n${block('text', 'a\nb')}\n\`x/y.ts\`:\n\n${block('ts', 'let a')}`
    expect(readSteps(page)).to.deep.equal([
      { kind: 'commands', line: 3, text: 'ls\n', shown: 'a\nb\n' },
      { kind: 'file', line: 14, path: 'x/y.ts', text: 'let a\n' },
    ])
  })

  const wrong: [what: string, page: string][] = [
    ['a file without a name', block('ts', 'let a')],
    ['an output without a command', block('text', 'a')],
    ['a second output', block('sh', 'ls') + block('text', 'a') + block('text', 'b')],
  ]
  for (const [what, page] of wrong)
    it(`does not contain ${what}`, () => {
      expect(() => readSteps(page)).to.throw('a block that is not a command')
    })

  const shown: [shown: string, output: string, fits: boolean][] = [
    ['a\n', 'a\n', true],
    ['a\n', 'ab\n', false],
    ['a\n', 'a\nb\n', false],
    ['a…c\n', 'abc\n', true],
    ['a…c\n', 'ab\nc\n', false],
    ['a\n…\n', 'a\n', true],
    ['a\n…\n', 'a\nb\nc\n', true],
    ['…\nc\n', 'a\nb\nc\n', true],
    ['…\nc\n', 'a\nb\n', false],
    ['a.c (1)\n', 'a.c (1)\n', true],
    ['a.c\n', 'abc\n', false],
  ]
  for (const [pattern, output, fits] of shown)
    it(`${JSON.stringify(pattern)} ${fits ? 'matches' : 'does not match'} ${JSON.stringify(output)}`, () => {
      expect(patternOf(pattern).test(output)).to.equal(fits)
    })
})
