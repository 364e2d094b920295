import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))

interface Manifest {
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest

/** Runs a script of package.json as npm does, with the tools that the package itself has. */
async function npmRun(folder: string, script: string): Promise<string> {
  const { scripts } = await manifestOf(folder)
  const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
  const words = ['-c', scripts[script] ?? 'false']
  const env = { ...process.env, PATH }
  return run('sh', words, { cwd: folder, env }).then(
    ({ stdout }) => stdout,
    ({ message, stdout }: { message: string; stdout: string }) => expect.fail(`${message}\n${stdout}`),
  )
}

/** The files of a package, without those that it is linked to. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
}

async function scaffold(kind: string, name: string, parent = tmpdir()) {
  const folder = await mkdtemp(join(parent, 'gateway-new-'))
  const io = terminal({ directory: folder })
  const code = await main(['new', kind, name], io)
  return { code, folder, package: join(folder, name), output: io.output, errors: io.errors }
}

async function buildAndTest(kind: string, name: string) {
  const made = await scaffold(kind, name)
  // Test settings of a folder above must not apply.
  await writeFile(join(made.folder, '.mocharc.cjs'), `module.exports = { require: './missing.js' }\n`)
  return { ...made, tested: await npmRun(made.package, 'test') }
}

const tested = new Map<string, ReturnType<typeof buildAndTest>>()

/** A new package of the kind, built and tested once for all tests here. */
function builtPackage(kind: string, name: string): ReturnType<typeof buildAndTest> {
  const found = tested.get(kind) ?? buildAndTest(kind, name)
  tested.set(kind, found)
  return found
}

const kinds = [
  {
    kind: 'plugin',
    name: 'house-rules',
    listed: /^guardrail +house-rules +0\.1\.0 +house-rules +maxWords$/m,
  },
  {
    kind: 'service-check',
    name: 'risk-score',
    listed: /^guardrail +risk-score +0\.1\.0 +risk-score +riskBelow$/m,
  },
  { kind: 'provider', name: 'acme-ai', listed: /^provider +acme-ai +0\.1\.0 +acme-ai +chatComplete embed$/m },
]

describe('gateway new', () => {
  for (const { kind, name, listed } of kinds) {
    it(`creates a ${kind} that builds, passes its tests, and loads without changes`, async () => {
      const made = await builtPackage(kind, name)
      expect(made.code).to.equal(0)
      expect(made.output).to.include('npm test').and.not.include('npm install')
      expect(made.tested).to.match(/[1-9]\d* passing/)

      await writeFile(join(made.folder, 'gateway.yaml'), `plugins:\n  packages: [./${name}]\n`)
      const io = terminal({ directory: made.folder, environment: { GATEWAY_CONFIG: 'gateway.yaml' } })
      expect(await main(['plugins'], io)).to.equal(0)
      expect(io.output).to.match(listed)
    })

    it(`links a ${kind} to the gateway that created it`, async () => {
      const { package: folder } = await scaffold(kind, name)
      const linked = await realpath(join(folder, 'node_modules/@gateway/core'))
      expect(linked).to.equal(await realpath(join(root, 'core')))
      expect(await readdir(join(folder, 'node_modules/.bin'))).to.include.members(['gateway', 'mocha', 'tsc'])
    })

    it(`leaves no placeholder in a ${kind}`, async () => {
      const { package: folder } = await scaffold(kind, name)
      for (const file of await filesBelow(folder)) {
        expect(await readFile(file, 'utf8'), file).not.to.match(/\{\{[a-z]+\}\}/)
      }
      expect((await manifestOf(folder)).name).to.equal(name)
      expect(await readFile(join(folder, 'README.md'), 'utf8')).to.include(`packages: [./${name}]`)
      expect(await readFile(join(folder, '.gitignore'), 'utf8')).to.include('node_modules')
    })

    it(`gives a ${kind} the same tool versions as the gateway`, async () => {
      const { package: folder } = await scaffold(kind, name)
      const made = await manifestOf(folder)
      const { devDependencies } = await manifestOf(root)
      for (const [tool, version] of Object.entries(made.devDependencies)) {
        if (tool.startsWith('@gateway/')) continue
        expect(devDependencies[tool], tool).to.equal(version)
      }
    })
  }

  it("formats all of them in the gateway's own code style", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-new-'))
    for (const { kind, name } of kinds)
      expect(await main(['new', kind, name], terminal({ directory: folder }))).to.equal(0)
    // A copy: next to the original, Biome would read the whole checkout.
    await copyFile(join(root, '.biome.json'), join(folder, '.biome.json'))
    const { stdout, stderr } = await run(
      join(root, 'node_modules/.bin/biome'),
      ['check', '--vcs-enabled=false', '.'],
      { cwd: folder },
    )
    expect(stderr).not.to.include('Found')
    expect(Number(/Checked (\d+) files/.exec(stdout)?.[1])).to.be.at.least(3 * kinds.length)
  })

  it('creates a valid config file that uses the provider', async () => {
    const { package: folder } = await builtPackage('provider', 'acme-ai')
    const io = terminal({ directory: folder, environment: { GATEWAY_CONFIG: 'gateway.example.yaml' } })
    expect(await main(['check'], io), io.errors).to.equal(0)
    expect(io.output).to.match(/^credentials .*my-acme-ai$/m)
  })

  it('creates a valid config file that uses the plugin', async () => {
    const { package: folder } = await builtPackage('plugin', 'house-rules')
    const environment = { GATEWAY_CONFIG: 'gateway.example.yaml' }
    const io = terminal({ directory: folder, environment })
    expect(await main(['check'], io), io.errors).to.equal(0)
    expect(io.output).to.match(/^guardrails .*short-texts$/m)
    const shown = terminal({ directory: folder, environment })
    expect(await main(['plugins', '--checks', 'house-rules'], shown)).to.equal(0)
    expect(shown.output).to.include('house-rules.maxWords (guardrail, before and after)')
    const long = 'word '.repeat(3)
    const parameters = ['--parameters', '{"max": 2}', '--text', long]
    const tried = terminal({ directory: folder, environment })
    expect(await main(['try', 'house-rules.maxWords', ...parameters], tried), tried.errors).to.equal(1)
    expect(JSON.parse(tried.output)).to.deep.include({ verdict: false, data: { words: 3, max: 2 } })
  })

  it('creates a config file that uses the service check, and refuses one without its settings', async () => {
    const { package: folder } = await builtPackage('service-check', 'risk-score')
    const environment = { GATEWAY_CONFIG: 'gateway.example.yaml', RISK_SCORE_KEY: 'k' }
    const io = terminal({ directory: folder, environment })
    expect(await main(['check'], io), io.errors).to.equal(0)
    const text = await readFile(join(folder, 'gateway.example.yaml'), 'utf8')
    await writeFile(join(folder, 'gateway.example.yaml'), text.replace(/\n {2}settings:\n.*\n/, '\n'))
    const bare = terminal({ directory: folder, environment })
    expect(await main(['check'], bare)).to.equal(1)
    expect(bare.errors).to.include('plugins.settings.risk-score')
  })

  it('creates no links in a checkout, where packages are found without them', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'gateway-checkout-'))
    await symlink(join(root, 'node_modules'), join(parent, 'node_modules'))
    const { package: folder } = await scaffold('plugin', 'mine', parent)
    expect(await readdir(folder)).to.not.include('node_modules')
  })

  const refused: [what: string, words: string[], message: string][] = [
    ['no kind', [], 'plugin, service-check, provider'],
    ['another kind', ['store', 'a'], 'plugin, service-check, provider'],
    ['no name', ['plugin'], 'NAME'],
    ['a path', ['plugin', '../a'], 'NAME'],
    ['a capital letter', ['plugin', 'House'], 'NAME'],
    ['a number first', ['provider', '1a'], 'NAME'],
    ['a name that is too long', ['provider', 'a'.repeat(65)], 'NAME'],
  ]
  for (const [what, words, message] of refused) {
    it(`refuses ${what}`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'gateway-new-'))
      const io = terminal({ directory })
      expect(await main(['new', ...words], io)).to.equal(2)
      expect(io.errors).to.include(message)
      expect(await readdir(directory)).to.deep.equal([])
    })
  }

  it('does not touch existing files', async () => {
    const { folder } = await scaffold('plugin', 'mine')
    const before = await filesBelow(folder)
    await writeFile(join(folder, 'mine/index.ts'), 'mine')
    const io = terminal({ directory: folder })
    expect(await main(['new', 'provider', 'mine'], io)).to.equal(1)
    expect(io.errors).to.include('exists')
    expect(await filesBelow(folder)).to.deep.equal(before)
    expect(await readFile(join(folder, 'mine/index.ts'), 'utf8')).to.equal('mine')
  })
})
