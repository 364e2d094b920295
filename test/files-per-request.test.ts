/** The number of files that a request runs, counted in a separate process, because coverage slows down its process. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const script = fileURLToPath(new URL('files-per-request.js', import.meta.url))

describe('the files that a request runs', () => {
  it('are at most as many as wanted, and none belongs to a feature that it does not use', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    expect(status, stdout + stderr).to.equal(0)
  })
})
