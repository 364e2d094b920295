/** A first start keeps what V8 has compiled of the bundle, and later starts use it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const bin = fileURLToPath(new URL('../../../../core/cli/bin', import.meta.url))

/** For a command that never ends: a busy machine is slow. */
const mostMs = 120_000

/** Its main waits for the file that a start keeps, for at most 20 s, if it is told to. */
const bundleOf = (said: string, fingerprint: string) => `(function(exports, require, module, file) {
  const { readdirSync } = require('node:fs')
  const isKept = () => readdirSync(require('node:path').dirname(file)).some((name) => name.includes('${fingerprint}-') && name.endsWith('.cache'))
  exports.main = async (words) => {
    console.log('${said}')
    for (let round = 0; words.includes('--wait') && !isKept() && round < 200; round += 1)
      await new Promise((resolve) => setTimeout(resolve, 100))
    return 0
  }
})
//${fingerprint}`

describe('the compiled bundle', () => {
  let folder = ''
  const dist = () => join(folder, 'core/dist')
  const kept = () => readdirSync(dist()).filter((name) => name !== 'gateway.cjs')

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-compiled-'))
    cpSync(bin, join(folder, 'core/cli/bin'), { recursive: true, filter: (path) => !path.endsWith('.ts') })
    mkdirSync(dist())
    writeFileSync(join(folder, 'core/package.json'), '{ "type": "module" }')
    writeFileSync(join(dist(), 'gateway.cjs'), bundleOf('first', '0123456789abcdef'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const run = (...words: string[]) => {
    const command = join(folder, 'core/cli/bin/gateway')
    const { status, stdout } = spawnSync(command, words, { encoding: 'utf8', timeout: mostMs })
    expect(status).to.equal(0)
    return stdout.trim()
  }

  it('is kept by a start, and not by other commands', () => {
    run('check')
    expect(kept()).to.deep.equal([])
    run('start', '--wait')
    expect(kept()).to.have.length(1)
    expect(kept()[0]).to.match(/^gateway\.cjs-0123456789abcdef-[0-9a-f]+\.cache$/)
  })

  it('is not used for another bundle', () => {
    run('start', '--wait')
    writeFileSync(join(dist(), 'gateway.cjs'), bundleOf('other', 'fedcba9876543210'))
    expect(run('start')).to.equal('other')
  })

  it('is compiled again if the file is damaged', () => {
    run('start', '--wait')
    const file = join(dist(), kept()[0] ?? '')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length / 2))
    expect(run('start')).to.equal('first')
  })
})
