/** The gallery shows every part of the console. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { checkLooks } from './browser.ts'
import { furnish } from './furnish.ts'
import { useConsole } from './suite.ts'

const web = join(import.meta.dirname, '../../../../plugins/console/web')

/** Parts of the frame around each page, parts of a page that loads its data, and parts without visible content. */
const elsewhere = [
  'change',
  'cursor-list',
  'deletions',
  'expected',
  'key-filter',
  'key-help',
  'leave-dialog',
  'palette',
  'saved-views',
  'seen',
  'sessions',
  'theme',
  'credential-fields',
].map((name) => `${name}.tsx`)

/** The files that a module imports, statically or dynamically. */
function importsOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, to = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+\.tsx?)'/g))
    importsOf(resolve(path, '..', to), seen)
  return seen
}

describe('the gallery of the console', function () {
  const suite = useConsole(this, { prepare: furnish })

  it('imports every visible part except those of the frame', () => {
    const shown = importsOf(join(web, 'pages/gallery/gallery.tsx'))
    const missing = readdirSync(join(web, 'parts'))
      .filter((name) => name.endsWith('.tsx') && !elsewhere.includes(name))
      .filter((name) => !shown.has(join(web, 'parts', name)))
    expect(missing).to.deep.equal([])
  })

  it('has no accessibility violation, and fits a phone', async () => {
    const { page } = suite
    await suite.visit('/gallery', 'Gallery')
    await page.getByLabel('With faults').check()
    await page.getByText('is not accepted').first().waitFor()
    await checkLooks(page, 'the gallery')
  })
})
