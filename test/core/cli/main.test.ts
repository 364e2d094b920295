import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

async function run(...words: string[]) {
  const io = terminal()
  return { code: await main(words, io), output: io.output, errors: io.errors }
}

describe('gateway', () => {
  for (const word of ['help', '--help', '-h']) {
    it(`explains itself for ${word}`, async () => {
      const { code, output } = await run(word)
      expect(code).to.equal(0)
      for (const command of ['start', 'check', 'plugins', 'try', 'keys', 'new', 'schema', 'docs'])
        expect(output).to.include(command)
    })
  }

  it('tells its version', async () => {
    const manifest = await readFile(new URL('../../../../core/package.json', import.meta.url), 'utf8')
    expect((await run('--version')).output).to.equal(
      `${(JSON.parse(manifest) as { version: string }).version}\n`,
    )
  })

  const wrong: [what: string, words: string[], message: string][] = [
    ['nothing', [], 'A command is needed'],
    ['an unknown command', ['fly'], '"fly"'],
    ['a name of the language', ['constructor'], '"constructor"'],
    ['an unknown flag', ['start', '--prot', '1'], '--prot'],
    ['a flag without its value', ['check', '--config'], '--config'],
    ['a flag with an empty value', ['check', '--config='], '--config'],
    ['a word too many', ['check', 'this'], '"this"'],
    ['a port that is none', ['start', '--port', '99999'], '--port must be'],
    ['no workers', ['start', '--workers', '0'], '--workers must be'],
  ]
  for (const [what, words, message] of wrong) {
    it(`answers ${what} with the usage and exit code 2`, async () => {
      const { code, output, errors } = await run(...words)
      expect(code).to.equal(2)
      expect(output).to.equal('')
      expect(errors).to.include(message).and.include('gateway COMMAND')
    })
  }
})
