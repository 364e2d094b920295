/** This version of Node supports every V8 flag that the gateway sets. V8 silently ignores unknown flags. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** This file is `test/dist/core/server/node/v8-flags.test.js`. */
const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const folders = ['core/cli/bin', 'core/server/node']

const isSource = (name: string) => !name.endsWith('.d.ts') && /(?:\.[jt]s|^gateway)$/.test(name)

function flagsIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter(isSource)
    .flatMap((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8')
      const set = [...text.matchAll(/setFlagsFromString\('--([a-z0-9-]+)/g)]
      const given = [...text.matchAll(/^exec node (.*?) "/gm)].flatMap(([, options = '']) => [
        ...options.matchAll(/--([a-z0-9-]+)/g),
      ])
      return [...set, ...given].map(([, flag = '']) => flag)
    })
}

describe('the V8 flags of the gateway', () => {
  const flags = [...new Set(folders.flatMap(flagsIn))]

  it('are found in the sources', () => {
    expect(flags).to.include.members(['max-semi-space-size', 'no-parallel-scavenge', 'no-concurrent-marking'])
  })

  it('are known to this version of Node', () => {
    const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
    const nodeOptions = process.allowedNodeEnvironmentFlags
    const unknown = flags.filter((flag) => {
      const plain = flag.replace(/^no-/, '')
      return !known.includes(`--${plain} `) && !nodeOptions.has(`--${flag}`)
    })
    expect(unknown).to.deep.equal([])
  })
})
