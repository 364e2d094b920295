/**
 * The packages as users install them: packed, installed in an empty folder, started there without a config file, with a
 * plugin that `gateway new` made, published as a package and enabled by its name.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../support/free-port.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const adminKey = 'admin-key-of-the-installation-test'

interface Manifest {
  name: string
  private?: boolean
  gateway?: object
  workspaces?: string[]
  dependencies?: Record<string, string>
}

const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest

/** The folders of all packages of the checkout. */
async function packageFolders(): Promise<string[]> {
  const { workspaces = [] } = await manifestOf(root)
  const folders = await Promise.all(
    workspaces.map(async (pattern) => {
      if (!pattern.endsWith('/*')) return [pattern]
      const parent = pattern.slice(0, -2)
      const names = await readdir(join(root, parent), { withFileTypes: true })
      return names.filter((entry) => entry.isDirectory()).map(({ name }) => `${parent}/${name}`)
    }),
  )
  return folders.flat()
}

interface Packed {
  name: string
  filename: string
  files: { path: string }[]
}

async function pack(cwd: string, out: string, folders: readonly string[] = []): Promise<Packed[]> {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', out]
  const workspaces = folders.flatMap((folder) => ['--workspace', folder])
  const { stdout } = await run('npm', [...words, ...workspaces], { cwd, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as Packed[]
}

/** Installs packed packages. False without a registry and a cache, from which others come. */
async function isInstalled(into: string, from: string, packed: readonly Packed[]): Promise<boolean> {
  // npm unpacks archives without a name once more, to learn it.
  const dependencies = Object.fromEntries(
    packed.map(({ name, filename }) => [name, `file:${join(from, filename)}`]),
  )
  await writeFile(join(into, 'package.json'), JSON.stringify({ name: 'app', private: true, dependencies }))
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  try {
    await run('npm', words, { cwd: into })
    return true
  } catch (error) {
    if (!isOffline(error)) throw error
    console.log('    left out: no registry answers, and the cache lacks packages')
    return false
  }
}

/** Nothing can be installed without a registry and a cache. */
const isOffline = (error: unknown) =>
  /ENOTCACHED|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/.test(error instanceof Error ? error.message : '')

async function answersWithEcho(app: string, env: NodeJS.ProcessEnv) {
  const port = await freePort()
  const child = spawn(join(app, 'node_modules/.bin/gateway'), ['start', '--port', String(port)], {
    cwd: app,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (text) => {
    output += String(text)
  })
  const listening = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += String(text)
      if (output.includes('"listening"')) resolve()
    })
    child.once('exit', () => reject(new Error(`The gateway ended:\n${output}`)))
  })
  const ended = once(child, 'exit')
  try {
    await listening
    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@echo/echo-1', messages: [{ role: 'user', content: 'hello' }] }),
    })
    expect(answer.status, await answer.clone().text()).to.equal(200)
    expect(await answer.text()).to.include('"content":"hello"')
    expect(output).to.include('No config file')
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).to.equal(200)
    expect((await fetch(`http://127.0.0.1:${port}/console`)).status).to.equal(200)
  } finally {
    child.kill('SIGTERM')
    // It writes to its folder until it ends, and the folder is removed next.
    await ended
  }
}

const contracts = ['core/contract', 'core/pattern']

describe('an installation from packed packages', function () {
  this.timeout(600_000)
  let folder = ''
  let app = ''
  let plugin: Packed
  let service: Packed

  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    GATEWAY_ADMIN_KEY: adminKey,
    GATEWAY_LOG_FORMAT: 'json',
  }
  const gateway = (...words: string[]) =>
    run(join(app, 'node_modules/.bin/gateway'), words, { cwd: app, env: environment })

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'gateway-install-'))
    app = await mkdtemp(join(folder, 'app-'))
    await run(process.execPath, [join(root, 'distribution/assemble.js')])
    // The dependencies of a plugin are installed with it, as npm installs the peers of packages from a registry.
    const packed = await pack(root, folder, [...contracts, 'distribution'])
    const publish = async (kind: string, name: string) => {
      const words = [join(root, 'core/cli/bin/gateway.js'), 'new', kind, name]
      await run(process.execPath, words, { cwd: folder })
      await run('npm', ['run', 'build'], { cwd: join(folder, name) })
      return (await pack(join(folder, name), folder))[0] as Packed
    }
    plugin = await publish('plugin', 'house-rules')
    service = await publish('service-check', 'risk-score')
    if (!(await isInstalled(app, folder, [...packed, plugin, service]))) this.skip()
  })
  after(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  it('contains every provider, plugin, store and service of the checkout', async () => {
    const { stdout } = await gateway('check', '--json')
    const { declared } = JSON.parse(stdout) as { declared: { packages: string[] } }
    const folders = await packageFolders()
    const manifests = await Promise.all(folders.map((each) => manifestOf(join(root, each))))
    const wanted = manifests.filter(({ gateway: kind }) => kind !== undefined).map(({ name }) => name)
    expect(wanted).to.have.length.above(40)
    expect(declared.packages).to.include.members(wanted)
  })

  it('is one package without dependencies, of 40 MB at most', async () => {
    const distribution = join(app, 'node_modules/@gateway/gateway')
    expect((await manifestOf(distribution)).dependencies).to.equal(undefined)
    const entries = await readdir(distribution, { recursive: true, withFileTypes: true })
    const sizes = await Promise.all(
      entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name))),
    )
    const size = sizes.reduce((sum, file) => sum + file.size, 0)
    expect(size).to.be.within(15_000_000, 40_000_000)
    expect(await readFile(join(distribution, 'THIRD-PARTY-NOTICES'), 'utf8')).to.match(/^koa \d/m)
  })

  it('contains its software bill of materials', async () => {
    const text = await readFile(join(app, 'node_modules/@gateway/gateway/dist/sbom.cdx.json'), 'utf8')
    const { bomFormat, components } = JSON.parse(text) as {
      bomFormat: string
      components: { name: string }[]
    }
    expect(bomFormat).to.equal('CycloneDX')
    const names = components.map(({ name }) => name)
    expect(names).to.include.members(['koa', '@photostructure/sqlite', '@gateway/core'])
    expect(names).to.not.include.members(['mocha', 'typescript'])
  })

  it('starts without a config file and answers with the embedded provider', () =>
    answersWithEcho(app, environment))

  it('creates packages that npm installs', async () => {
    const made = join(app, 'made')
    await mkdir(made)
    const { stdout } = await run(join(app, 'node_modules/.bin/gateway'), ['new', 'plugin', 'mine'], {
      cwd: made,
    })
    expect(stdout).to.include('npm install')
    const { version } = (await manifestOf(join(root, 'core'))) as Manifest & { version: string }
    const { devDependencies, dependencies } = (await manifestOf(join(made, 'mine'))) as Manifest & {
      devDependencies: Record<string, string>
    }
    expect(devDependencies['@gateway/contract']).to.equal(`^${version}`)
    expect(dependencies?.['@sinclair/typebox']).to.match(/^\d+\.\d+\.\d+$/)
  })

  it('enables a published plugin by its name', async () => {
    const config = [
      'plugins:',
      '  packages: [house-rules, risk-score]',
      '  settings: { risk-score: { baseUrl: "https://risk.example", apiKey: k } }',
      'providers: { echo: { provider: echo } }',
      'guardrails:',
      '  short: { deny: true, house-rules.maxWords: { max: 5 } }',
      '  safe: { deny: true, risk-score.riskBelow: { max: 0.5 } }',
      'configs: { guarded: { provider: "@echo", input_guardrails: [short, safe] } }',
    ]
    await writeFile(join(app, 'gateway.yaml'), config.join('\n'))
    const { stdout } = await gateway('check', '--config', 'gateway.yaml')
    expect(stdout).to.include('gateway.yaml is valid.')
    const listed = await gateway('plugins', 'house-rules', '--checks', '--config', 'gateway.yaml')
    expect(listed.stdout).to.include('house-rules.maxWords')
    const ofService = await gateway('plugins', 'risk-score', '--checks', '--config', 'gateway.yaml')
    expect(ofService.stdout).to.include('risk-score.riskBelow')
  })

  it('packs a plugin without its tests, its sources, and its build dependencies', async () => {
    const paths = plugin.files.map(({ path }) => path)
    expect(paths).to.include.members(['package.json', 'README.md', 'dist/index.js', 'dist/index.d.ts'])
    expect(paths.filter((path) => /test|tsbuildinfo|(?<!\.d)\.ts$/.test(path))).to.deep.equal([])
    const manifest = JSON.parse(
      await readFile(join(app, 'node_modules/house-rules/package.json'), 'utf8'),
    ) as Manifest & { peerDependencies?: Record<string, string> }
    expect(manifest.private).to.equal(undefined)
    expect(Object.keys(manifest.peerDependencies ?? {})).to.deep.equal(['@gateway/contract'])
  })
})

describe('an installation of single packages', function () {
  this.timeout(600_000)
  let folder = ''
  after(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  it('runs the command of @gateway/core with the packages next to it', async function () {
    folder = await mkdtemp(join(tmpdir(), 'gateway-parts-'))
    const parts = [
      ...contracts,
      'core',
      'providers/kit',
      'plugins/kit',
      'providers/echo',
      'plugins/store-sql',
    ]
    const services = ['plugins/openapi', 'plugins/console']
    const packed = await pack(root, folder, [...parts, ...services])
    const files = packed.flatMap(({ files: inside }) => inside.map(({ path }) => path))
    // The bundle, what V8 compiled of it, and what the compiler remembers.
    expect(files.filter((path) => /\.cjs|tsbuildinfo/.test(path))).to.deep.equal([])
    if (!(await isInstalled(folder, folder, packed))) this.skip()
    const env = { PATH: process.env.PATH, GATEWAY_ADMIN_KEY: adminKey, GATEWAY_LOG_FORMAT: 'json' }
    await answersWithEcho(folder, env)
  })
})
