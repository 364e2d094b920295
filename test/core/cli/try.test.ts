/** `gateway try`: one check from the shell. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

describe('gateway try', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-try-'))
    await writeFile(join(directory, 'gateway.yaml'), 'plugins: {}\n')
    await writeFile(
      join(directory, 'body.json'),
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'from a file' }] }),
    )
  })
  after(() => rm(directory, { recursive: true }))

  async function run(words: string[], input = '') {
    let out = ''
    let err = ''
    const code = await main(['try', ...words, '--config', 'gateway.yaml'], {
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
      environment: {},
      directory,
      readInput: () => Promise.resolve(input),
    })
    return { code, out, err, result: out === '' ? null : (JSON.parse(out) as Record<string, unknown>) }
  }
  const words = (operator: string) => JSON.stringify({ words: ['secret'], operator })

  it('prints the verdict and exits with 0 when the check passes', async () => {
    const { code, result } = await run(['default.contains', '--text', 'hello', '--parameters', words('none')])
    expect(code).to.equal(0)
    expect(result).to.include({ id: 'default.contains', verdict: true, error: null })
  })

  it('exits with 1 when the check fails, and names the failing text', async () => {
    const { code, result } = await run(['contains', '--parameters', words('none')], 'a secret')
    expect(code).to.equal(1)
    expect(result).to.include({ verdict: false })
    expect(result?.data).to.deep.equal({
      found: [{ word: 0, path: '/messages/0/content', start: 2 }],
      missing: [],
    })
  })

  it('prints the text that a mutator produced', async () => {
    const parameters = JSON.stringify({ rule: 'a+', redactText: '*' })
    const { code, result } = await run(['default.regexReplace', '--text', 'baab', '--parameters', parameters])
    expect(code).to.equal(0)
    expect(result).to.include({ transformed: true, text: 'b*b' })
  })

  it('accepts an answer, and a body from a file', async () => {
    const after = await run([
      'contains',
      '--phase',
      'after',
      '--text',
      'secret',
      '--parameters',
      words('any'),
    ])
    expect(after.result?.data).to.have.nested.property('found[0].path', '/choices/0/message/content')
    const file = await run(['contains', '--body', 'body.json', '--parameters', words('any')])
    expect(file.result).to.include({ verdict: false })
  })

  it('accepts metadata', async () => {
    const tier = (value: string) => [
      'requiredMetadataKeyPairs',
      '--text',
      'x',
      '--parameters',
      '{"metadataPairs": {"tier": "gold"}, "operator": "all"}',
      '--metadata',
      JSON.stringify({ tier: value }),
    ]
    expect((await run(tier('gold'))).code).to.equal(0)
    expect((await run(tier('tin'))).code).to.equal(1)
  })

  it('exits with 1 when the check returns no verdict, and prints the reason', async () => {
    const parameters = '{"webhookURL": "http://127.0.0.1:9/"}'
    const { code, result } = await run(['webhook', '--text', 'x', '--parameters', parameters])
    expect(code).to.equal(1)
    expect(result).to.have.nested.property('error.name', 'host_not_allowed')
  })

  const refused: [what: string, words: string[], code: number, message: string][] = [
    [
      'an unknown check',
      ['default.contians', '--text', 'x'],
      1,
      'Unknown check "default.contians". Did you mean "default.contains"?',
    ],
    [
      'parameters that break its schema',
      ['contains', '--text', 'x', '--parameters', '{"word":[]}'],
      1,
      '/parameters',
    ],
    ['parameters that are not JSON', ['contains', '--text', 'x', '--parameters', 'words'], 2, '--parameters'],
    ['metadata that is not JSON', ['contains', '--metadata', 'x'], 2, '--metadata'],
    ['metadata that is not a string', ['contains', '--metadata', '{"a":1}'], 2, '--metadata'],
    ['no check at all', [], 2, 'the id of a check'],
    ['another phase', ['contains', '--phase', 'during'], 2, '--phase'],
  ]
  for (const [what, words_, code, message] of refused) {
    it(`refuses ${what}`, async () => {
      const outcome = await run(words_)
      expect(outcome.code).to.equal(code)
      expect(outcome.err).to.include(message)
    })
  }

  it('works without a config file, as a start does', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-try-'))
    const recording = terminal({ directory })
    const words = ['default.contains', '--parameters', '{"words": ["a"]}', '--text', 'a b']
    expect(await main(['try', ...words], recording), recording.errors).to.equal(0)
  })
})
