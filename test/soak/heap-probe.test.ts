/** The memory that a process reports: kept objects count, garbage does not. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '../support/until.ts'
import { askHeap } from './heap-report.ts'

const probe = new URL('./heap-probe.js', import.meta.url).href
const megabyte = 1_048_576

/** Runs each line that it reads, and answers when it is done. */
const script = `
  const held = []
  const numbers = (count) => Array.from({ length: count * 131072 }, (_, index) => index + 0.5)
  process.stdin.on('data', (text) => {
    const [what, count] = String(text).trim().split(' ')
    for (let index = 0; index < Number(count); index += 1) {
      if (what === 'objects') held.push(numbers(1))
      if (what === 'buffers') held.push(Buffer.alloc(${megabyte}))
      if (what === 'garbage') numbers(1)
    }
    process.stdout.write('done')
  })
  process.stdout.write('ready')
`

describe('the memory of a process in a soak', () => {
  let folder: string
  let child: ChildProcess
  let said = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-probe-'))
    child = spawn(process.execPath, ['--import', probe, '--eval', script], {
      env: { ...process.env, SOAK_PROBE_DIR: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdout?.on('data', (text) => {
      said += String(text)
    })
    await until('the process is ready', () => said.includes('ready'))
  })
  after(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  const report = () => until('the process answers', () => askHeap(folder, child.pid ?? 0))
  async function run(line: string): Promise<void> {
    said = ''
    child.stdin?.write(`${line}\n`)
    await until('it is done', () => said.includes('done'))
  }

  const cases: [what: string, mostMb: number, grows: 'objects' | 'external' | null][] = [
    ['objects', 8, 'objects'],
    ['buffers', 8, 'external'],
    ['garbage', 50, null],
  ]
  for (const [what, count, grows] of cases)
    it(`${grows === null ? 'does not contain' : 'contains'} ${what}`, async () => {
      await run(`${what} 1`)
      const before = await report()
      await run(`${what} ${count}`)
      const after = await report()
      for (const name of ['objects', 'external'] as const) {
        const grown = (after[name] - before[name]) / megabyte
        expect(grown, name).to.be.closeTo(name === grows ? count : 0, 1)
      }
    })

  it('is unknown for a process that does not answer', async () => {
    expect(await askHeap(folder, 1)).to.equal(null)
  })
})
