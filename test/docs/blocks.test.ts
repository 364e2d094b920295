/**
 * Runs every block of shell and JavaScript in the README and in docs, page by page, with a gateway per page, and adds the
 * README's YAML to that gateway's config file. Python is only parsed. A block
 * with the comment `Not run by the tests: REASON` is only checked for its syntax.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { parse } from 'yaml'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { openShell, type Shell } from '../tutorial/shell.ts'
import { type Block, readBlocks } from './blocks.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const standardAddress = 'http://127.0.0.1:8787'

async function pagesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort()
}

const readme = 'README.md'
const pages: { page: string; blocks: Block[] }[] = []
for (const page of [readme, ...(await pagesBelow('docs'))]) {
  const blocks = readBlocks(await readFile(join(root, page), 'utf8'))
  // The README is followed from top to end; pages of the docs show parts of files.
  pages.push({
    page,
    blocks: page === readme ? blocks : blocks.filter(({ language }) => language !== 'yaml'),
  })
}
/** The placeholder that a reader of the README replaces. */
const keyPlaceholder = 'the-key-that-the-start-printed'

/** Adds the entries of a file to the sections of another. */
function addEntries(config: Record<string, object>, added: Record<string, object>): Record<string, object> {
  const merged = Object.entries(added).map(([section, entries]) => {
    const existing = config[section]
    return [section, { ...existing, ...entries }]
  })
  return { ...config, ...Object.fromEntries(merged) }
}

/** The credentials and configs that the pages of the docs use. */
const docsConfig = {
  providers: {
    echo: { provider: 'echo' },
    'openai-prod': { provider: 'openai', api_key: 'sk-not-a-key' },
    'anthropic-prod': { provider: 'anthropic', api_key: 'sk-not-a-key' },
    'google-prod': { provider: 'google', api_key: 'sk-not-a-key' },
  },
  configs: { prod: { provider: '@openai-prod' } },
}

/** The environment of the gateway that the README's reader starts. */
const gatewayEnvironment = {
  GATEWAY_ADMIN_KEY: adminKey,
  GATEWAY_STORE_URL: 'memory:',
  OPENAI_API_KEY: 'sk-not-a-key',
}

const readConfig = async (path: string) =>
  parse(await readFile(join(root, path), 'utf8')) as Record<string, object>

/** Makes every answer with an error status fail its block, unless the block checks the status itself. */
const strictCurl = (curl: string) => `#!/bin/sh
case " $* " in *" --write-out "*) exec ${curl} "$@" ;; esac
exec ${curl} --fail-with-body --silent --show-error "$@"
`

describe('code blocks in the README and the docs', () => {
  const curl = spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).stdout.trim()
  before(function () {
    if (curl !== '') return
    console.log('    left out: curl is not installed')
    this.skip()
  })

  for (const { page, blocks } of pages.filter(({ blocks: found }) => found.length > 0))
    describe(page, () => {
      let gateway: TestGateway
      let folder = ''
      let shell: Shell
      let config: Record<string, object>
      let environment: Record<string, string>
      before(async () => {
        const isReadme = page === readme
        config = isReadme ? await readConfig('core/cli/templates/gateway.yaml') : docsConfig
        folder = await mkdtemp(join(tmpdir(), 'gateway-docs-'))
        gateway = await startGateway(config, {
          environment: { ...gatewayEnvironment, GATEWAY_DATA_DIR: join(folder, 'data') },
        })
        await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
        await writeFile(join(folder, 'curl'), strictCurl(curl))
        await chmod(join(folder, 'curl'), 0o755)
        environment = {
          PATH: `${folder}:${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
          HOME: folder,
          GATEWAY_URL: gateway.url,
          GATEWAY_KEY: adminKey,
          ...(isReadme ? {} : { GATEWAY_ADMIN_KEY: adminKey }),
        }
        // The README sets the variables itself.
        const { GATEWAY_URL: _, GATEWAY_KEY: __, ...unset } = environment
        shell = openShell(folder, folder, isReadme ? unset : environment)
      })
      after(async () => {
        await shell?.close()
        await gateway?.stop()
        if (folder !== '') await rm(folder, { recursive: true, force: true })
      })

      for (const { language, line, text, reason } of blocks) {
        const isRun = reason === null
        it(`line ${line}: ${isRun ? 'runs' : `can be parsed, and is not run: ${reason}`}`, async () => {
          const local = text
            .replaceAll(standardAddress, gateway.url)
            .replaceAll(/gateway connect [a-z-]+/g, `$& --url ${gateway.url}`)
            .replaceAll(keyPlaceholder, adminKey)
          if (language === 'yaml') {
            config = addEntries(config, parse(local) as Record<string, object>)
            await gateway.writeConfig(config)
            expect(await gateway.reload(), JSON.stringify(gateway.logs.at(-1))).to.equal(true)
            return
          }
          if (language === 'python') {
            const words = ['-c', 'import ast, sys; ast.parse(sys.stdin.read())']
            const { status, stderr, error } = spawnSync('python3', words, { input: local, encoding: 'utf8' })
            expect(error === undefined ? status : 0, stderr).to.equal(0)
            return
          }
          if (language === 'js') {
            const file = join(folder, `block-at-line-${line}.mjs`)
            await writeFile(file, local)
            const words = isRun ? [file] : ['--check', file]
            const { status, stdout, stderr } = await runNode(words, environment)
            expect(status, stdout + stderr).to.equal(0)
            if (isRun) expect(stdout).to.include('hello')
            return
          }
          if (!isRun) {
            const { status, stderr } = spawnSync('sh', ['-n'], { input: local, encoding: 'utf8' })
            expect(status, stderr).to.equal(0)
            return
          }
          const { status, output } = await shell.run(local)
          expect(status, output).to.equal(0)
        })
      }
    })

  it('are run for the most part', () => {
    const all = pages.flatMap(({ blocks }) => blocks)
    const run = all.filter(({ reason }) => reason === null)
    expect(run.length).to.be.greaterThan(all.length / 2)
  })
})

/** Not synchronously: the gateway that it calls lives in this process. */
function runNode(words: string[], env: Record<string, string>) {
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, words, { env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
}
