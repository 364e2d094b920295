/** Packages that a test writes into its own directory, for `plugins.packages`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface FixturePackage {
  name: string
  kind: 'provider' | 'guardrail' | 'store' | 'dialect' | 'service'
  /** Text of its main module. */
  source: string
  /** `gateway.contract`; default 1. */
  contract?: number
}

/** Makes a directory for packages, before the tests of this block, and removes it after. */
export function packageDirectory(): { write(fixture: FixturePackage): Promise<string> } {
  let parent = ''
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'gateway-packages-'))
  })
  after(() => rm(parent, { recursive: true, force: true }))
  return { write: (fixture) => writePackage(parent, fixture) }
}

async function writePackage(parent: string, fixture: FixturePackage): Promise<string> {
  const { name, kind, source, contract = 1 } = fixture
  const directory = join(parent, name.replaceAll('/', '-'))
  const manifest = {
    name,
    version: '1.2.3',
    type: 'module',
    exports: './main.js',
    gateway: { kind, contract },
  }
  await mkdir(directory)
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(directory, 'main.js'), source)
  return directory
}
