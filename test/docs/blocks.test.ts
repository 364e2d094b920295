/**
 * Runs every block of shell and JavaScript in the README and in docs, page by page, with a gateway per page. A block
 * with the comment `Not run by the tests: REASON` is only checked for its syntax.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
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

const pages: { page: string; blocks: Block[] }[] = []
for (const page of ['README.md', ...(await pagesBelow('docs'))])
  pages.push({ page, blocks: readBlocks(await readFile(join(root, page), 'utf8')) })

/** The credentials and configs that the pages use. */
const config = {
  providers: {
    echo: { provider: 'echo' },
    'openai-prod': { provider: 'openai', api_key: 'sk-not-a-key' },
  },
  configs: { prod: { provider: '@openai-prod' } },
}

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
      let environment: Record<string, string>
      before(async () => {
        gateway = await startGateway(config)
        folder = await mkdtemp(join(tmpdir(), 'gateway-docs-'))
        await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
        await writeFile(join(folder, 'curl'), strictCurl(curl))
        await chmod(join(folder, 'curl'), 0o755)
        environment = {
          PATH: `${folder}:${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
          HOME: folder,
          GATEWAY: gateway.url,
          GATEWAY_KEY: adminKey,
          GATEWAY_ADMIN_KEY: adminKey,
          KEY: adminKey,
        }
        shell = openShell(folder, folder, environment)
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
