/** `default.secrets`: a corpus of texts with and without secrets, each text alone and among others. */
import type { Check } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { runCheck } from '@gateway/testing'
import { expect } from 'chai'
import { found, unfound } from './secrets-corpus.ts'

const secrets = plugin.checks.find(({ id }) => id === 'secrets') as Check

interface Place {
  category: string
  start: number
  end: number
}

async function find(text: string, categories: string[] = []): Promise<[string, string][]> {
  const { data } = await runCheck(secrets, { parameters: { categories }, text })
  return (data as { places: Place[] }).places.map(({ category, start, end }) => [
    category,
    text.slice(start, end),
  ])
}

const piece = (marked: string) => marked.slice(marked.indexOf('‹') + 1, marked.indexOf('›'))
const plain = (marked: string) => marked.replace(/[‹›]/g, '')
const title = (text: string) => `${text.slice(0, 40).replaceAll('\n', ' ')}…`

describe('default.secrets', () => {
  for (const [category, texts] of Object.entries(found))
    describe(`finds ${category}`, () => {
      for (const marked of texts) {
        it(`in ${title(marked)}`, async () => {
          expect(await find(plain(marked))).to.deep.equal([[category, piece(marked)]])
          expect(await find(plain(marked), [category])).to.deep.equal([[category, piece(marked)]])
        })

        it(`within a sentence: ${title(marked)}`, async () => {
          const text = `We spoke of it yesterday.\n${plain(marked)}\nThe documentation explains everything else.`
          expect(await find(text)).to.deep.equal([[category, piece(marked)]])
        })
      }

      it('only when the category is enabled', async () => {
        const other = category === 'pypi' ? 'npm' : 'pypi'
        for (const marked of texts) expect(await find(plain(marked), [other])).to.deep.equal([])
      })
    })

  describe('finds nothing', () => {
    for (const text of unfound)
      it(`in ${title(text)}`, async () => {
        expect(await find(text)).to.deep.equal([])
      })
  })

  it('has a text of the corpus for every category', () => {
    expect(Object.keys(found).sort()).to.deep.equal(
      [...secrets.parameters.properties.categories.items.enum].sort(),
    )
  })

  it('finds several matches in one text, in order', async () => {
    const chosen = ['jwt', 'github', 'private_key', 'connection_string', 'aws']
    const text = chosen.map((category) => plain(found[category]?.[0] ?? '')).join('\n\n')
    expect((await find(text)).map(([category]) => category)).to.deep.equal(chosen)
  })
})
