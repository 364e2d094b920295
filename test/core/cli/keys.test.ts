import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { keyHash } from '#config-file/keys'
import { main } from '#core/cli/main'
import { startGateway } from '../../support/gateway.ts'
import { terminal } from './support.ts'

const hash = `sha256:${'0'.repeat(64)}`

/** Everything here must be preserved. */
const yaml = `# a comment
server: { port: 1 }   # another
api_keys:
  # the first
  - name: ci   # used by the pipeline
    key_hash: ${hash}
    scopes: [completions.write]
  - { name: old, key_hash: "${hash.replace('0', '1')}", scopes: ["*"], workspace: team }
configs:
  long: { provider: echo, custom_host: "https://a-very-long-name.example/with/a/long/path/that/goes/on/and/on/and/on/v1" }
secret: \${NOT_SET}
`

async function file(text: string, name = 'gateway.yaml'): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-keys-'))
  const path = join(folder, name)
  await writeFile(path, text)
  return { folder, path }
}

async function keys(words: string[], path: string, environment = {}) {
  const io = terminal({ environment: { GATEWAY_CONFIG: path, ...environment } })
  return { code: await main(['keys', ...words], io), output: io.output, errors: io.errors }
}

describe('gateway keys', () => {
  it('replaces the admin key of the data folder, which then works after a restart', async () => {
    const { folder, path } = await file('{}\n')
    const environment = { GATEWAY_DATA_DIR: join(folder, 'data') }
    const [first, second] = [
      await keys(['reset-admin'], path, environment),
      await keys(['reset-admin'], path, environment),
    ]
    expect([first.code, second.code]).to.deep.equal([0, 0])
    expect(second.output).to.match(/^gw-[A-Za-z0-9]{40}\n$/)
    const gateway = await startGateway({}, { environment: { ...environment, GATEWAY_STORE_URL: 'memory:' } })
    const statusOf = async (key: string) =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { 'x-gateway-api-key': key.trim() } })).status
    expect([await statusOf(first.output), await statusOf(second.output)]).to.deep.equal([401, 200])
    await gateway.stop()
    const hashFile = join(folder, 'data', 'admin-key.sha256')
    expect((await stat(hashFile)).mode & 0o077).to.equal(0)
    expect(await readFile(hashFile, 'utf8')).to.equal(
      `${keyHash(second.output.trim()).slice('sha256:'.length)}\n`,
    )
  })

  it('does not replace an admin key that comes from the environment', async () => {
    const { folder, path } = await file('{}\n')
    const environment = { GATEWAY_DATA_DIR: folder, GATEWAY_ADMIN_KEY: 'an-admin-key-of-the-environment' }
    const { code, output, errors } = await keys(['reset-admin'], path, environment)
    expect([code, output]).to.deep.equal([1, ''])
    expect(errors).to.include('GATEWAY_ADMIN_KEY')
  })

  it('creates a key, prints it once, and writes only its hash', async () => {
    const { path } = await file(yaml)
    const { code, output } = await keys(
      ['create', '--name', 'new', '--scopes', 'models:list', '--write'],
      path,
    )
    expect(code).to.equal(0)
    expect(output).to.match(/^gw-[A-Za-z0-9]{40}\n$/)
    const text = await readFile(path, 'utf8')
    expect(text).not.to.include(output.trim())
    expect(text).to.include(
      `  - name: new\n    key_hash: ${keyHash(output.trim())}\n    scopes:\n      - models.list\n    workspace: default\n`,
    )
    for (const kept of ['# a comment', '# another', '# the first', '# used by the pipeline', `\${NOT_SET}`]) {
      expect(text).to.include(kept)
    }
  })

  it('prints the lines to add instead of writing them with the option for it', async () => {
    const { path } = await file(yaml)
    const { output } = await keys(['create', '--name', 'new', '--workspace', 'team'], path)
    const [key = '', ...lines] = output.split('\n')
    expect(lines.join('\n')).to.include(`api_keys:\n  - name: new\n    key_hash: ${keyHash(key)}`)
    expect(lines.join('\n')).to.include('workspace: team')
    expect(await readFile(path, 'utf8')).to.equal(yaml)
  })

  it('creates a different key every time, with the configured prefix', async () => {
    const { path } = await file(yaml)
    const made = await Promise.all(
      [1, 2].map(() => keys(['create', '--name', 'new'], path, { API_KEY_PREFIX: 'acme-' })),
    )
    const [one, two] = made.map(({ output }) => output.split('\n')[0])
    expect(one).to.match(/^acme-[A-Za-z0-9]{40}$/)
    expect(one).not.to.equal(two)
  })

  for (const [what, text] of [
    ['an empty file', ''],
    ['a file of comments', '# nothing\n'],
    ['a file without keys', 'server: { port: 1 }\n'],
    ['a list without keys', 'api_keys: []\n'],
    ['a section without value', 'api_keys:\n# none\nserver: { port: 1 }\n'],
  ] as const) {
    it(`adds the first key to ${what}`, async () => {
      const { path } = await file(text)
      const { code, output } = await keys(['create', '--name', 'a', '--write'], path)
      expect(code).to.equal(0)
      const listed = await keys(['list'], path)
      expect(listed.output).to.match(/^a +default +completions\.write,models\.list$/m)
      expect(await readFile(path, 'utf8')).to.include(keyHash(output.trim()))
      for (const line of text.split('\n').filter((line) => line.startsWith('#'))) {
        expect(await readFile(path, 'utf8')).to.include(line)
      }
    })
  }

  it('refuses a second key with the same name', async () => {
    const { path } = await file(yaml)
    const { code, output, errors } = await keys(['create', '--name', 'ci', '--write'], path)
    expect([code, output]).to.deep.equal([1, ''])
    expect(errors).to.include('"ci"')
    expect(await readFile(path, 'utf8')).to.equal(yaml)
  })

  it('keeps a JSON file JSON', async () => {
    const { path } = await file('{"api_keys": [], "server": {"port": 1}}', 'gateway.json')
    const { output } = await keys(['create', '--name', 'a', '--write'], path)
    const made = JSON.parse(await readFile(path, 'utf8')) as {
      api_keys: { key_hash: string }[]
      server: unknown
    }
    expect(made.server).to.deep.equal({ port: 1 })
    expect(made.api_keys[0]?.key_hash).to.equal(keyHash(output.trim()))
    const rotated = await keys(['rotate', 'a', '--write'], path)
    expect(await readFile(path, 'utf8')).to.include(`"${keyHash(rotated.output.trim())}"`)
    await keys(['revoke', 'a', '--write'], path)
    expect(JSON.parse(await readFile(path, 'utf8'))).to.deep.equal({ api_keys: [], server: { port: 1 } })
  })

  it('rotates one key and changes nothing else', async () => {
    for (const [name, old] of [
      ['ci', hash],
      ['old', hash.replace('0', '1')],
    ] as const) {
      const { path } = await file(yaml)
      const { code, output } = await keys(['rotate', name, '--write'], path)
      expect(code).to.equal(0)
      expect(await readFile(path, 'utf8')).to.equal(yaml.replace(old, keyHash(output.trim())))
    }
  })

  it('revokes one key and keeps the others', async () => {
    const { path } = await file(yaml)
    expect((await keys(['revoke', 'old', '--write'], path)).code).to.equal(0)
    const text = await readFile(path, 'utf8')
    expect(text).to.include('# used by the pipeline').and.not.to.include('name: old')
    expect((await keys(['list'], path)).output.trim().split('\n')).to.have.length(2)
  })

  it('keeps the permissions of the file', async () => {
    const { path } = await file(yaml)
    await chmod(path, 0o600)
    await keys(['rotate', 'ci', '--write'], path)
    expect((await stat(path)).mode & 0o777).to.equal(0o600)
  })

  it('lists names, workspaces and scopes, and never hashes', async () => {
    const { path } = await file(yaml)
    const { output } = await keys(['list'], path)
    expect(output)
      .to.match(/^ci +default +completions\.write$/m)
      .and.to.match(/^old +team +\*$/m)
    expect(output).not.to.include('sha256')
  })

  it('hashes a key from standard input', async () => {
    const io = terminal({ input: 'gw-abc\n' })
    expect(await main(['keys', 'hash'], io)).to.equal(0)
    expect(io.output).to.equal('sha256:a65e6f5ba24ee056c00bc4a2a2c933f2da8f3f421839f09c99437c63e43be8e2\n')
  })

  const refused: [what: string, words: string[], code: number, message: string][] = [
    ['a key without a name', ['create'], 2, '--name'],
    ['an unknown scope', ['create', '--name', 'a', '--scopes', 'fly'], 2, '"fly"'],
    ['an invalid time', ['create', '--name', 'a', '--expires-at', 'soon'], 2, '--expires-at'],
    ['no action', [], 2, 'create, list'],
    ['another action', ['forget'], 2, 'create, list'],
    ['a rotation of nothing', ['rotate'], 2, 'NAME'],
    ['an option of another action', ['list', '--write'], 2, '--write'],
    ['an unknown key', ['rotate', 'nobody'], 1, 'nobody'],
    ['a missing file', ['revoke', 'ci', '--config', '/nowhere/gateway.yaml'], 1, 'does not exist'],
  ]
  for (const [what, words, code, message] of refused) {
    it(`refuses ${what}`, async () => {
      const { path } = await file(yaml)
      const result = await keys(words, path)
      expect(result.code).to.equal(code)
      expect(result.errors).to.include(message)
      expect(result.output).to.equal('')
      expect(await readFile(path, 'utf8')).to.equal(yaml)
    })
  }

  it('does not write to a file that it cannot parse', async () => {
    const { path } = await file('api_keys: [\n')
    const { code, output } = await keys(['create', '--name', 'a', '--write'], path)
    expect(code).to.equal(1)
    expect(output).to.equal('')
    expect(await readFile(path, 'utf8')).to.equal('api_keys: [\n')
  })

  it('lists none without a config file, and says how to create the file that it would change', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-keys-'))
    const listed = terminal({ directory })
    expect(await main(['keys', 'list'], listed)).to.equal(0)
    expect(listed.output).to.equal('NAME  WORKSPACE  SCOPES  EXPIRES\n')
    expect(listed.errors).to.include('No config file at config/gateway.yaml')
    const created = terminal({ directory })
    expect(await main(['keys', 'create', '--name', 'a', '--write'], created)).to.equal(1)
    expect(created.errors).to.include('gateway init').and.include('--store')
    expect(created.output).to.equal('')
  })
})
