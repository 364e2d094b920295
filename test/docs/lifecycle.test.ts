/** The page about the lifecycle of a request matches the lists of stages. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { lifecyclePage } from './lifecycle-page.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

describe('the page about the lifecycle of a request', () => {
  it('matches core/pipeline.ts and the stages; otherwise run `npm run docs`', async () => {
    expect(await readFile(join(root, 'docs/lifecycle.md'), 'utf8')).to.equal(lifecyclePage(root))
  })
})
