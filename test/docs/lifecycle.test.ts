/** The page about the lifecycle of a request is what the lists of stages say. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { lifecyclePage } from './lifecycle-page.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

describe('the page about the lifecycle of a request', () => {
  it('is what core/pipeline.ts and the stages say; otherwise run `npm run docs`', async () => {
    expect(await readFile(join(root, 'docs/lifecycle.md'), 'utf8')).to.equal(lifecyclePage(root))
  })
})
