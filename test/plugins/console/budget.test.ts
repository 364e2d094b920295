/** The size of the console's pages, compressed with gzip: the budgets that keep it fast. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const folder = join(import.meta.dirname, '../../../../plugins/console/dist/assets')
const kilobyte = 1024
const sizeOf = (name: string) => statSync(join(folder, `${name}.gz`)).size

/** The static imports of a module, recursively. */
function withImports(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(join(folder, name), 'utf8')
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    withImports(imported, seen)
  return seen
}

const sum = (names: Iterable<string>) =>
  [...names].reduce((total, name) => total + sizeOf(name), 0) / kilobyte

describe('the size of the console', () => {
  const names = readdirSync(folder)
  const main = names.find((name) => /^main-.*\.js$/.test(name)) ?? ''

  it('is at most 60 KB of script for the sign-in page, which is loaded first', () => {
    expect(sum(withImports(main))).to.be.below(60)
  })

  it('is one script and one style sheet before the first page is painted', () => {
    expect([...withImports(main)]).to.deep.equal([main])
    expect(names.filter((name) => name.endsWith('.css'))).to.have.lengthOf(1)
  })

  it('is at most 60 KB with brotli for the first page', () => {
    const style = names.find((name) => name.endsWith('.css')) ?? ''
    const sizes = [main, style].map((name) => statSync(join(folder, `${name}.br`)).size)
    expect(sizes.reduce((total, size) => total + size, 0) / kilobyte).to.be.below(60)
  })

  it('is at most 40 KB of styles', () => {
    expect(sum(names.filter((name) => name.endsWith('.css')))).to.be.below(40)
  })

  it('is at most 150 KB for each page that is loaded later', () => {
    const first = withImports(main)
    for (const name of names.filter((one) => one.endsWith('.js'))) {
      const own = [...withImports(name)].filter((one) => !first.has(one))
      expect(sum(own), name).to.be.below(150)
    }
  })
})
