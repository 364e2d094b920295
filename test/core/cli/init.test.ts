import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

describe('gateway init', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-init-'))
  })

  it('writes a valid config file', async () => {
    const io = terminal({ directory: folder })
    expect(await main(['init'], io)).to.equal(0)
    expect(io.output).to.include('Wrote config/gateway.yaml')
    const check = terminal({ directory: folder })
    expect(await main(['check'], check)).to.equal(0)
    expect(check.errors).to.equal('')
  })

  it('writes a config file that is valid with every example uncommented', async () => {
    const io = terminal({ directory: folder })
    await main(['init', 'g.yaml'], io)
    const text = await readFile(join(folder, 'g.yaml'), 'utf8')
    // A commented example begins with its indentation, a key or a list item; prose begins with a capital or a backtick.
    const switchedOn = text
      .replace(/^# yaml-language-server.*$/m, '')
      .replaceAll(/^( *)# ((?: *)(?:[a-z_-]+:|- ).*)$/gm, '$1$2')
      .replace('sha256:…', `sha256:${'0'.repeat(64)}`)
    await writeFile(join(folder, 'on.yaml'), switchedOn)
    const environment = { OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2', PGPASSWORD: 'p' }
    const check = terminal({ directory: folder, environment })
    const code = await main(['check', '--config', 'on.yaml'], check)
    expect(check.errors).to.equal('')
    expect(code).to.equal(0)
    expect(check.output)
      .to.match(/^credentials +4 /m)
      .and.to.match(/^configs +3 /m)
    expect(check.output)
      .to.match(/^guardrails +1 /m)
      .and.to.match(/^keys +1 /m)
  })

  it('does not overwrite a file', async () => {
    await writeFile(join(folder, 'mine.yaml'), 'mine')
    const io = terminal({ directory: folder })
    expect(await main(['init', 'mine.yaml'], io)).to.equal(1)
    expect(io.errors).to.include('already exists')
    expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).to.equal('mine')
  })

  it('writes the same text as the example in the repository', async () => {
    const read = (path: string) => readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8')
    expect(await read('config/example.yaml')).to.equal(await read('core/cli/templates/gateway.yaml'))
  })
})
