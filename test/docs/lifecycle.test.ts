/** The page about the lifecycle of a request is what the lists of stages say. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { lifecyclePage } from './lifecycle-page.ts'

const root = new URL('../../../', import.meta.url)

describe('the page about the lifecycle of a request', () => {
  it('is what core/pipeline.ts and the stages say; otherwise run `npm run docs`', async () => {
    expect(await readFile(new URL('docs/lifecycle.md', root), 'utf8')).to.equal(lifecyclePage(root.pathname))
  })
})
