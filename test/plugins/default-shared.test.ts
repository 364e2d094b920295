/** Building blocks of several local checks, tested as properties for any text. */
import type { Check, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { runCheck } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'

const checkOf = (id: string) => plugin.checks.find((check) => check.id === id) as Check
interface DataOptions {
  text: string
  phase?: 'before' | 'after'
}

const dataOf = async (id: string, parameters: JsonObject, { text, phase = 'before' }: DataOptions) =>
  (await runCheck(checkOf(id), { parameters, text, phase })).data as Record<string, unknown>

describe('a word list', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '日'), maxLength: 40 })
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '日'), minLength: 1, maxLength: 4 })
  /** A list too long to search word by word. */
  const words = fc.array(word, { minLength: 17, maxLength: 60 })

  const plainly = (list: readonly string[], text: string) =>
    list.flatMap((entry, number) => {
      const start = text.indexOf(entry)
      return start < 0 ? [] : [{ word: number, path: '/messages/0/content', start }]
    })

  it('finds the same as a search for each word alone', async () => {
    await assertProperty(
      fc.asyncProperty(words, letters, async (list, text) => {
        const { found, missing } = await dataOf('contains', { words: list, operator: 'none' }, { text })
        const all = plainly(list, text)
        expect(found).to.deep.equal(all.slice(0, 10))
        const absent = [...list.keys()].filter((number) => !all.some(({ word }) => word === number))
        expect(missing).to.deep.equal(absent.slice(0, 10))
      }),
    )
  })

  it('has the same verdict for any, all and none as the single words', async () => {
    await assertProperty(
      fc.asyncProperty(
        words,
        letters,
        fc.constantFrom('any', 'all', 'none'),
        async (list, text, operator) => {
          const { verdict } = await runCheck(checkOf('contains'), {
            parameters: { words: list, operator },
            text,
          })
          const { length } = plainly(list, text)
          const expected = { any: length > 0, all: length === list.length, none: length === 0 }
          expect(verdict).to.equal(expected[operator as 'any'])
        },
      ),
    )
  })

  it('can be long, in many alphabets, with words that begin alike', async () => {
    const list = Array.from(
      { length: 4000 },
      (_, index) => `${String.fromCodePoint(0x4e00 + index)}字${index}`,
    )
    const text = `…${list[17]}…一字…${list[3999]}`
    const { found } = await dataOf('contains', { words: [...list, '一字'], operator: 'none' }, { text })
    expect((found as { word: number }[]).map(({ word }) => word)).to.deep.equal([17, 3999, 4000])
  })
})

describe('the sentence count', () => {
  const counts: [string, number][] = [
    ['', 0],
    ['...', 0],
    ['Hello', 1],
    ['Hello. World.', 2],
    ['Hello... world', 1],
    ['Really?! Yes.', 2],
    ['He said "Go." Then he left.', 2],
    ['Pi is 3.14 and more.', 1],
    ['See example.com for more.', 1],
    ['Dr. Miller met Mr. J. Smith.', 1],
    ['Fruit, e.g. apples. And more.', 2],
    ['1. First\n2. Second', 1],
    ['A title\n\nA text.', 2],
    ['A line\nthat goes on.', 1],
    ['今日は。元気ですか？はい！', 3],
    ['你好。我很好。', 2],
    ['मैं ठीक हूँ। तुम कैसे हो?', 2],
    ['هل أنت بخير؟ نعم.', 2],
    ['¿Qué tal? ¡Bien!', 2],
    ['Das kostet z.B. 5 Euro. Gut.', 2],
  ]
  for (const [text, expected] of counts)
    it(`is ${expected} in ${JSON.stringify(text)}`, async () => {
      expect((await dataOf('sentenceCount', {}, { text })).sentences).to.deep.equal([expected])
    })

  it('does not depend on the words', async () => {
    const word = fc.stringMatching(/^[A-Z][a-z]{3,8}$/)
    const sentence = fc.tuple(fc.array(word, { minLength: 2, maxLength: 5 }), fc.constantFrom('.', '!', '?'))
    await assertProperty(
      fc.asyncProperty(fc.array(sentence, { minLength: 1, maxLength: 8 }), async (sentences) => {
        const text = sentences.map(([words, end]) => words.join(' ') + end).join(' ')
        expect((await dataOf('sentenceCount', {}, { text })).sentences).to.deep.equal([sentences.length])
      }),
    )
  })
})

describe('the character count', () => {
  it('equals the number of code points', async () => {
    await assertProperty(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect((await dataOf('characterCount', {}, { text })).characters).to.deep.equal([[...text].length])
      }),
    )
  })
})

describe('letters of one case', () => {
  it('are found with their positions', async () => {
    await assertProperty(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        for (const [id, convert] of [
          ['alluppercase', (letters: string) => letters.toUpperCase()],
          ['alllowercase', (letters: string) => letters.toLowerCase()],
        ] as const) {
          const { verdict, data } = await runCheck(checkOf(id), { text })
          const [found] = (data as { found: { start: number }[] }).found
          expect(verdict).to.equal(convert(text) === text)
          if (found !== undefined)
            expect(convert(text.slice(0, found.start))).to.equal(text.slice(0, found.start))
        }
      }),
    )
  })
})

describe('URLs in a text', () => {
  const texts: [string, string[]][] = [
    ['Go to http://a.example now', ['http://a.example']],
    ['HTTPS://A.example/x?y=1#z.', ['HTTPS://A.example/x?y=1#z']],
    ['[a](https://a.example/b) and <https://c.example>', ['https://a.example/b', 'https://c.example']],
    ['(see https://a.example/b_(c))', ['https://a.example/b_(c)']],
    ['**https://a.example**, `https://b.example`', ['https://a.example', 'https://b.example']],
    ['见https://a.example/页。好', ['https://a.example/页']],
    ['https://a.example:8080/x,https://b.example', ['https://a.example:8080/x,https://b.example']],
    ['xhttp://a.example ftp://b.example ://c http://', ['http://a.example']],
    ['http://[2001:db8::1]/x', ['http://[2001:db8::1]/x']],
  ]
  for (const [text, expected] of texts)
    it(`number ${expected.length} in ${text}`, async () => {
      const asked: string[] = []
      await runCheck(checkOf('validUrls'), {
        text,
        io: {
          fetch({ url }) {
            asked.push(url)
            return Promise.resolve({ status: 200, headers: {}, bytes: Buffer.alloc(0) })
          },
        },
      })
      expect(asked).to.deep.equal(expected.map((url) => new URL(url.replace(/#.*/, '')).href))
    })
})

describe('fenced code blocks', () => {
  const label = fc.constantFrom('sql', 'python', '')
  const line = fc.stringMatching(/^[a-z ]{1,12}$/)

  it('are found with their positions and labels', async () => {
    const block = fc.tuple(
      label,
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('```', '~~~', '````'),
    )
    await assertProperty(
      fc.asyncProperty(fc.array(block, { maxLength: 6 }), async (blocks) => {
        const written = blocks.map(([name, lines, fence]) => `${fence}${name}\n${lines.join('\n')}\n${fence}`)
        const text = ['Intro', ...written].join('\nand\n')
        const { found } = await dataOf('containsCode', { format: 'SQL' }, { text, phase: 'after' })
        const starts = (found as { start: number; by: string }[]).map(({ start }) => start)
        const labelled = blocks.flatMap(([name, lines], index) =>
          name === 'sql' && lines.join('').trim() !== '' ? [index] : [],
        )
        expect(starts.length).to.equal(labelled.length)
        for (const start of starts) expect(text.slice(start)).to.match(/^(?:`{3,4}|~~~)sql\n/)
      }),
    )
  })
})

describe('an adversarial text', () => {
  const long = 300_000
  const texts: [string, string][] = [
    ['dots within a word', `a${'.'.repeat(long)}b`],
    ['quotes behind a dot', `a.${'"'.repeat(long)}b`],
    ['spaces behind dots', `a.${' '.repeat(long)}b`],
    ['lines of spaces', `a${'\n '.repeat(long / 2)}b`],
  ]
  for (const [name, text] of texts)
    it(`has its sentences counted in linear time: ${name}`, async () => {
      expect((await dataOf('sentenceCount', {}, { text })).sentences).to.be.an('array')
    })

  const io = { fetch: () => Promise.resolve({ status: 200, headers: {}, bytes: Buffer.alloc(0) }) }
  for (const [name, text] of [
    ['brackets', `https://a.example/${')'.repeat(4000)} `.repeat(80)],
    ['open brackets', `https://a.example/${'('.repeat(4000)} `.repeat(80)],
    ['schemes', 'http://'.repeat(long / 7)],
    ['marks of schemes', '://'.repeat(long / 3)],
  ] as const)
    it(`has its URLs found in linear time: ${name}`, async () => {
      const outcome = await runCheck(checkOf('validUrls'), { text, io }).catch(
        (error: Error) => error.message,
      )
      expect(outcome).to.satisfy(
        (found: unknown) => typeof found === 'object' || /more than 100/.test(String(found)),
      )
    })

  it('has its code blocks found in linear time', async () => {
    const text = '```\n~~~\n'.repeat(long / 8)
    expect((await dataOf('containsCode', { format: 'SQL' }, { text, phase: 'after' })).found).to.deep.equal(
      [],
    )
  })
})
