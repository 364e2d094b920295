/** The tutorial for plugin authors, followed word for word in an empty folder, by a real shell. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { freePort } from '../support/free-port.ts'
import { patternOf, readSteps } from './page.ts'
import { openShell, type Shell } from './shell.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const steps = readSteps(await readFile(join(root, 'plugins/TUTORIAL.md'), 'utf8'))

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('the tutorial for plugin authors', () => {
  let folder = ''
  let shell: Shell
  let directory = root
  let pid = 0
  let isLost = false

  before(async function () {
    if (!hasCurl) {
      console.log('    left out: curl is not installed')
      this.skip()
    }
    folder = await mkdtemp(join(tmpdir(), 'gateway-tutorial-'))
    shell = openShell(root, folder, {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: folder,
      GATEWAY_PORT: String(await freePort()),
      // No package may be fetched: requests to this registry are refused.
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_update_notifier: 'false',
    })
  })
  after(async () => {
    if (pid !== 0 && isAlive(pid)) process.kill(pid, 'SIGKILL')
    await shell?.close()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  // After a failed step, the following steps are skipped.
  beforeEach(function () {
    if (isLost) this.skip()
  })
  afterEach(function () {
    isLost ||= this.currentTest?.state === 'failed'
  })

  for (const step of steps) {
    if (step.kind === 'file') {
      it(`line ${step.line}: ${step.path}`, async () => {
        await mkdir(dirname(join(directory, step.path)), { recursive: true })
        await writeFile(join(directory, step.path), step.text)
      })
      continue
    }
    it(`line ${step.line}: ${step.text.split('\n')[0]}`, async () => {
      const outcome = await shell.run(step.text)
      directory = outcome.directory
      pid ||= await readPid(directory)
      expect(outcome.status, outcome.output).to.equal(0)
      if (step.shown === null || patternOf(step.shown).test(withoutTimes(outcome.output))) return
      expect.fail(`The page shows\n${step.shown}\nand there was\n${outcome.output}`)
    })
  }

  it('leaves no process running', async () => {
    expect(pid).to.be.greaterThan(0)
    // Waits until background processes have ended.
    await shell.run('wait')
    expect(isAlive(pid)).to.equal(false)
  })
})

/** Mocha adds its time to a test that was slow, as each of them may be on a busy machine. */
const withoutTimes = (output: string) => output.replace(/^( +✔ .*) \(\d+m?s\)$/gm, '$1')

/** The process id of the gateway that was started in this folder, or 0. */
async function readPid(folder: string): Promise<number> {
  return Number(await readFile(join(folder, 'gateway.pid'), 'utf8').catch(() => '0'))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
