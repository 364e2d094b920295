import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

async function run(...words: string[]) {
  const io = terminal()
  return { code: await main(words, io), output: io.output, errors: io.errors }
}

describe('gateway', () => {
  for (const word of ['help', '--help', '-h']) {
    it(`prints its help for ${word}`, async () => {
      const { code, output } = await run(word)
      expect(code).to.equal(0)
      for (const command of ['start', 'check', 'plugins', 'try', 'keys', 'new', 'schema', 'docs'])
        expect(output).to.include(command)
    })
  }

  it('prints its version', async () => {
    const manifest = await readFile(new URL('../../../../core/package.json', import.meta.url), 'utf8')
    expect((await run('--version')).output).to.equal(
      `${(JSON.parse(manifest) as { version: string }).version}\n`,
    )
  })

  const wrong: [what: string, words: string[], message: string, topic: string][] = [
    ['a call without a command', [], 'No command specified', 'gateway help"'],
    ['an unknown command', ['fly'], 'Unknown command "fly"', 'gateway help"'],
    ['a mistyped command', ['strat'], 'Did you mean "start"?', 'gateway help"'],
    ['the name of an object member', ['constructor'], '"constructor"', 'gateway help"'],
    ['an unknown option', ['start', '--prot', '1'], '--prot', 'gateway help start"'],
    ['an option without its value', ['check', '--config'], '--config', 'gateway help check"'],
    ['an option with an empty value', ['check', '--config='], '--config', 'gateway help check"'],
    ['an argument too many', ['check', 'this'], '"this"', 'gateway help check"'],
    ['a port out of range', ['start', '--port', '99999'], '--port must be', 'gateway help start"'],
    ['a start with no workers', ['start', '--workers', '0'], '--workers must be', 'gateway help start"'],
    ['help on an unknown command', ['help', 'fly'], 'Unknown command "fly"', 'gateway help"'],
  ]
  for (const [what, words, message, topic] of wrong) {
    it(`answers ${what} with two lines and exit code 2`, async () => {
      const { code, output, errors } = await run(...words)
      expect(code).to.equal(2)
      expect(output).to.equal('')
      expect(errors).to.include(message).and.include(topic)
      expect(errors.trimEnd().split('\n')).to.have.length(2)
    })
  }

  for (const words of [
    ['help', 'keys'],
    ['keys', '--help'],
    ['keys', '-h'],
  ])
    it(`prints the help of one command for ${words.join(' ')}`, async () => {
      const { code, output } = await run(...words)
      expect(code).to.equal(0)
      expect(output).to.include('Usage: gateway keys').and.include('--store').and.not.include('--workers')
    })

  for (const shell of ['bash', 'zsh', 'fish'])
    it(`prints a completion script for ${shell}`, async () => {
      const { code, output } = await run('completion', shell)
      expect(code).to.equal(0)
      for (const word of ['rotate-encryption-key', 'workers', 'verbose']) expect(output).to.include(word)
    })

  it('completes options in bash', () => {
    const script = spawnSync('bash', ['-c', completeInBash], { encoding: 'utf8', input: '' })
    expect(script.stdout.trim().split('\n')).to.deep.equal(['--verbose'])
  })

  const bin = fileURLToPath(new URL('../../../../core/cli/bin/gateway', import.meta.url))
  const completeInBash = `source <(${bin} completion bash); COMP_WORDS=(gateway check --v); COMP_CWORD=2; _gateway; printf '%s\\n' "\${COMPREPLY[@]}"`

  it('names the command that does what another word asks for', async () => {
    expect((await run('backup')).errors).to.include('Unknown command "backup". Did you mean "export"?')
    expect((await run('restore')).errors).to.include('Did you mean "import"?')
  })

  it('ends without an error when the reader of its output has gone, as with `gateway logs | head`', async () => {
    const child = spawn(bin, ['help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
    })
    const [code] = await once(child, 'close')
    expect(errors).to.equal('')
    expect(code).to.equal(0)
  })
})
