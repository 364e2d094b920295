/** `default.pii`: a corpus of texts with and without personal data, each text alone and among others. */
import type { Check } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { runCheck } from '@gateway/testing'
import { expect } from 'chai'
import { found, unfound } from './pii-corpus.ts'

const pii = plugin.checks.find(({ id }) => id === 'pii') as Check

interface Place {
  category: string
  start: number
  end: number
}

async function find(text: string, categories: string[] = []): Promise<[string, string][]> {
  const { data } = await runCheck(pii, { parameters: { categories }, text })
  return (data as { places: Place[] }).places.map(({ category, start, end }) => [
    category,
    text.slice(start, end),
  ])
}

const piece = (marked: string) => marked.slice(marked.indexOf('‹') + 1, marked.indexOf('›'))
const plain = (marked: string) => marked.replace(/[‹›]/g, '')

describe('default.pii', () => {
  for (const [category, texts] of Object.entries(found))
    describe(`finds ${category}`, () => {
      for (const marked of texts) {
        it(`in ${marked}`, async () => {
          expect(await find(plain(marked))).to.deep.equal([[category, piece(marked)]])
          expect(await find(plain(marked), [category])).to.deep.equal([[category, piece(marked)]])
        })

        it(`within a sentence: ${marked}`, async () => {
          const text = `Yesterday in 2019, 12 people came. ${plain(marked)} (see page 7, line 30)`
          expect(await find(text)).to.deep.equal([[category, piece(marked)]])
        })
      }

      it('only when the category is enabled', async () => {
        const other = category === 'mx_curp' ? 'it_codice_fiscale' : 'mx_curp'
        for (const marked of texts) expect(await find(plain(marked), [other])).to.deep.equal([])
      })
    })

  describe('finds nothing', () => {
    for (const text of unfound)
      it(`in ${text}`, async () => {
        expect(await find(text)).to.deep.equal([])
      })
  })

  it('has a text of the corpus for every category', () => {
    const items = pii.parameters.properties.categories.items
    expect(Object.keys(found).sort()).to.deep.equal(
      items.enum.filter((id: string) => id !== 'national_id').sort(),
    )
  })

  describe('scans a long text in chunks', () => {
    const chunk = 131_072
    const address = 'bob@example.com'
    for (const shift of [-address.length - 1, -address.length, -8, -1, 0, 1])
      it(`and finds a match ${shift} characters from a chunk border once`, async () => {
        const before = '. '.repeat(chunk).slice(0, chunk + shift - 1)
        const text = `${before} ${address} ${'. '.repeat(chunk)}`
        const { data } = await runCheck(pii, { text })
        const start = before.length + 1
        const path = '/messages/0/content'
        expect((data as { places: Place[] }).places).to.deep.equal([
          { category: 'email', path, start, end: start + address.length },
        ])
      })

    it('and redacts a match across a border completely', async () => {
      const sentence = `Write to ${address} or ${'x'.repeat(990)}. `
      const { text } = await runCheck(pii, { parameters: { redact: true }, text: sentence.repeat(400) })
      expect(text).to.equal(sentence.replace(address, '[EMAIL_1]').repeat(400))
    })

    it('and yields to the event loop between them', async () => {
      let loops = 0
      const count = () => {
        loops += 1
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      await runCheck(pii, { text: 'Nothing of 12 and 34. '.repeat(40_000) })
      clearImmediate(timer)
      expect(loops).to.be.at.least(5)
    })
  })

  it('finds several matches in one text, in order', async () => {
    const text = 'bob@example.com paid DE89370400440532013000 from 192.168.1.1, call +1 212 555 0123'
    expect((await find(text)).map(([category]) => category)).to.deep.equal([
      'email',
      'iban',
      'ip_address',
      'phone',
    ])
  })
})
