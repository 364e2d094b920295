import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const options = JSON.stringify({
  extends: '../tsconfig.json',
  compilerOptions: { rootDir: '.', outDir: 'dist' },
  include: ['**/*.ts'],
  exclude: ['dist'],
})
const entry = (code: number) => `export const main = async (words: string[]): Promise<number> => {
  console.log('ran', words.join(' '))
  return ${code}
}
`

/** A minimal checkout: the real command and compiler, one source file. */
async function checkout(withCompiler = true): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-bin-'))
  await mkdir(join(folder, 'core/cli'), { recursive: true })
  const isScript = (path: string) => !path.endsWith('.ts')
  await cp(join(root, 'core/cli/bin'), join(folder, 'core/cli/bin'), { recursive: true, filter: isScript })
  await cp(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  await writeFile(join(folder, 'core/package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'core/tsconfig.json'), options)
  await writeFile(join(folder, 'core/cli/main.ts'), entry(0))
  if (withCompiler) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function run(folder: string, environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(join(folder, 'core/cli/bin/gateway'), ['a', 'b'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...environment },
  })
  return { status, stdout, isBuilt: stderr.includes('Building'), stderr }
}

/** Later than any build of this test. */
const touch = (path: string) => utimes(path, new Date(), new Date(Date.now() + 1000))

describe('the gateway command in a checkout', () => {
  it('builds the first time, and not again', async () => {
    const folder = await checkout()
    expect(run(folder)).to.include({ status: 0, stdout: 'ran a b\n', isBuilt: true })
    expect(run(folder)).to.deep.equal({ status: 0, stdout: 'ran a b\n', isBuilt: false, stderr: '' })
  })

  it('prints a message about the first build, which does not check types', async () => {
    const folder = await checkout()
    await writeFile(join(folder, 'core/cli/main.ts'), entry(0).replace('Promise<number>', 'Promise<string>'))
    const { status, stderr } = run(folder)
    expect(status).to.equal(0)
    expect(stderr).to.match(
      /^Building the gateway \.\.\.\n {2}preparing 1 packages\n {2}bundling the gateway and its pages\n$/,
    )
  })

  it('prints syntax errors of the first build and exits with 1', async () => {
    const folder = await checkout()
    await writeFile(join(folder, 'core/cli/main.ts'), 'export const main = (\n')
    const { status, stdout, stderr } = run(folder)
    expect([status, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.include('main.ts').and.include('The build failed.')
  })

  it('builds when a source file is newer than the build', async () => {
    const folder = await checkout()
    run(folder)
    await writeFile(join(folder, 'core/cli/main.ts'), entry(3))
    await touch(join(folder, 'core/cli/main.ts'))
    expect(run(folder)).to.include({ status: 3, isBuilt: true })
  })

  it('builds when a package was added', async () => {
    const folder = await checkout()
    run(folder)
    await mkdir(join(folder, 'plugins/mine'), { recursive: true })
    await writeFile(join(folder, 'plugins/mine/tsconfig.json'), options.replace('../', '../../'))
    await writeFile(join(folder, 'plugins/mine/package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'plugins/mine/index.ts'), 'export default 1\n')
    expect(run(folder)).to.include({ status: 0, isBuilt: true })
  })

  it('prints compiler errors and exits with 1', async () => {
    const folder = await checkout()
    run(folder)
    await writeFile(join(folder, 'core/cli/main.ts'), 'export const main: number = "text"\n')
    await touch(join(folder, 'core/cli/main.ts'))
    const { status, stdout, stderr } = run(folder)
    expect(status).to.equal(1)
    expect(stdout).to.equal('')
    expect(stderr).to.include('main.ts(1,14)').and.include('The build failed.')
  })

  it('runs an existing build when no compiler is installed', async () => {
    const folder = await checkout()
    run(folder)
    await rm(join(folder, 'node_modules'))
    await touch(join(folder, 'core/cli/main.ts'))
    expect(run(folder)).to.include({ status: 0, isBuilt: false })
  })

  it('runs the bundle, or the modules once the compiler has rebuilt them', async () => {
    const folder = await checkout()
    run(folder)
    const module = join(folder, 'core/dist/cli/main.js')
    await writeFile(module, `export const main = async () => console.log('ran modules')`)
    expect(run(folder).stdout).to.equal('ran a b\n')
    await writeFile(join(folder, 'core/dist/tsconfig.tsbuildinfo'), '{}')
    await touch(join(folder, 'core/dist/tsconfig.tsbuildinfo'))
    expect(run(folder).stdout).to.equal('ran modules\n')
  })

  it('runs the modules when there is no bundle and no bundler', async () => {
    const folder = await checkout()
    run(folder)
    await rm(join(folder, 'node_modules'))
    await rm(join(folder, 'core/dist/gateway.cjs'))
    expect(run(folder)).to.deep.equal({ status: 0, stdout: 'ran a b\n', isBuilt: false, stderr: '' })
  })

  it('prints instructions if neither a build nor a compiler is present', async () => {
    const { status, stderr } = run(await checkout(false))
    expect(status).to.equal(1)
    expect(stderr).to.include('npm ci')
  })

  it("runs through npm's symbolic link, with the memory limit it needs", async () => {
    const folder = await checkout()
    const text = `export const main = async () => console.log(process.execArgv.join(' '))`
    await writeFile(join(folder, 'core/cli/main.ts'), text)
    const link = join(folder, 'gateway')
    await symlink('core/cli/bin/gateway', link)
    const { stdout } = spawnSync(link, [], { encoding: 'utf8', env: { PATH: process.env.PATH } })
    expect(stdout).to.match(/^--max-semi-space-size=\d+ --v8-pool-size=1\n$/)
  })

  it('never builds in a worker', async () => {
    const folder = await checkout()
    run(folder)
    await touch(join(folder, 'core/cli/main.ts'))
    expect(run(folder, { NODE_UNIQUE_ID: '1' })).to.include({ status: 0, isBuilt: false })
  })
})
