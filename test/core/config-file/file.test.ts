import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkConfigText, createFileContext, readConfigFile } from '#config-file/read-file'

const context = createFileContext(['echo'])
const environment = { PORT: '9000', FLAG: 'true', KEY: 'a-key', WORD: 'many', EMPTY: '', ZERO: '0' }

/** `LINE:COLUMN PATH CODE` of every error. */
function faultsOf(text: string): string[] {
  return checkConfigText(text, environment, { context }).faults.map(
    ({ line, column, param, code }) => `${line}:${column} ${param} ${code}`,
  )
}

const bad: [what: string, text: string, ...faults: string[]][] = [
  ['an unknown key, at its own line', 'server:\n  port: 1\n  prot: 2\n', '3:3 /server invalid_file'],
  ['an unknown section', 'server: {}\nproviderz: {}\n', '2:1  invalid_file'],
  ['an unknown section without a value', 'servers:\n', '1:1  invalid_file'],
  [
    'several faults at once, from top to end',
    'server:\n  port: 99999\n  nope: 1\nlogs:\n  bodies: some\n',
    '2:9 /server/port invalid_file',
    '3:3 /server invalid_file',
    '5:11 /logs/bodies invalid_file',
  ],
  [
    'a fault deep in a config',
    'configs:\n  prod:\n    strategy: { mode: fallback }\n    targets:\n      - provider: echo\n      - provider: echo\n        weight: -1\n',
    '7:17 /configs/prod/targets/1/weight invalid_config',
  ],
  [
    'an unknown key inside a flow map',
    'configs:\n  x: { provider: echo, retry: { attempts: 1, often: true } }\n',
    '2:46 /configs/x/retry invalid_config',
  ],
  [
    'a missing key, at its parent',
    'providers:\n  a:\n    api_key: k\n',
    '2:3 /providers/a/provider invalid_file',
  ],
  ['a key that is not a slug', 'providers:\n  a b: { provider: echo }\n', '2:3 /providers invalid_file'],
  ['a config id that is not a slug', 'configs:\n  a/b: { provider: echo }\n', '2:3 /configs invalid_file'],
  ['a list where a map belongs', 'configs:\n  - a\n', '1:1 /configs invalid_file'],
  ['a file that is a list', '- a\n', '1:1  invalid_file'],
  ['a key twice', 'server:\n  port: 1\n  port: 2\n', '3:3 /server invalid_syntax'],
  ['a key twice, in JSON', '{"logs": {"level": "info",\n "level": "warn"}}', '2:2 /logs invalid_syntax'],
  ['bad indentation', 'server:\n  port: 1\n host: x\n', '3:1  invalid_syntax'],
  ['two documents', 'server: {}\n---\nserver: {}\n', '2:1  invalid_syntax'],
  ['a foreign tag', 'store:\n  url: !!binary aGVsbG8=\n', '2:17 /store/url invalid_syntax'],
  ['an alias of nothing', 'store: *other\n', '1:8 /store invalid_syntax'],
  ['a map that contains itself', 'prompts: &p\n  a: *p\n', '2:3 /prompts/a invalid_syntax'],
  ['a key that is a prototype', 'configs:\n  __proto__: { provider: echo }\n', '2:3 /configs invalid_syntax'],
  ['a missing variable', `server:\n  host: "\${NOBODY_SET_THIS}"\n`, '2:9 /server/host missing_variable'],
  [
    'two missing variables in one text',
    `store:\n  url: "\${NONE_A}://\${NONE_B}"\n`,
    '2:8 /store/url missing_variable',
    '2:8 /store/url missing_variable',
  ],
  [
    'a missing variable where a list belongs',
    `security:\n  trusted_hosts: \${NOBODY}\n`,
    '2:18 /security/trusted_hosts missing_variable',
  ],
  ['half a variable', `store:\n  url: "sqlite:\${"\n`, '2:8 /store/url invalid_syntax'],
  ['a variable that is not a number', `server:\n  port: \${WORD}\n`, '2:9 /server/port invalid_file'],
  ['a variable that is not a port', `server:\n  port: \${PORT}0\n`, '2:9 /server/port invalid_file'],
  [
    'an empty credential',
    `providers:\n  a: { provider: echo, api_key: "\${EMPTY}" }\n`,
    '2:33 /providers/a/api_key invalid_file',
  ],
  ['a size of nothing', 'server:\n  body_limit: 0mb\n', '2:15 /server/body_limit invalid_file'],
  ['a size in apples', 'cache:\n  max_bytes: 3 apples\n', '2:14 /cache/max_bytes invalid_file'],
  [
    'a host name among the trusted addresses',
    'security:\n  trusted_hosts: [10.0.0.0/8, localhost]\n',
    '2:31 /security/trusted_hosts/1 invalid_file',
  ],
  [
    'a key in clear',
    'api_keys:\n  - name: a\n    key_hash: gw-abc\n    scopes: [completions.write]\n',
    '3:15 /api_keys/0/key_hash invalid_file',
  ],
  [
    'one key under two names',
    `api_keys:\n${['a', 'b'].map((name) => `  - name: ${name}\n    key_hash: sha256:${'0'.repeat(64)}\n    scopes: [x]\n`).join('')}`,
    '6:15 /api_keys/1/key_hash invalid_file',
  ],
  [
    'an invalid time',
    `api_keys:\n  - name: a\n    key_hash: sha256:${'0'.repeat(64)}\n    scopes: [x]\n    expires_at: 2030-13-01\n`,
    '5:17 /api_keys/0/expires_at invalid_file',
  ],
  [
    'an unknown endpoint',
    'custom_providers:\n  acme:\n    base_url: https://api.acme.example/v1\n    endpoints: [chatComplete, dance]\n',
    '4:31 /custom_providers/acme/endpoints/1 invalid_file',
  ],
  [
    'what came in through an alias, where it is written',
    'providers:\n  a: &a\n    provider: echo\n    nope: 1\n  b: *a\n',
    '4:5 /providers/a invalid_file',
    '4:5 /providers/b invalid_file',
  ],
  [
    'what came in through a merge key',
    'providers:\n  a:\n    <<: { provider: echo, nope: 1 }\n',
    '3:27 /providers/a invalid_file',
  ],
]

const good: [what: string, text: string, section: string, value: unknown][] = [
  ['an empty file', '', 'api_keys', []],
  ['a section that is all comments', 'guardrails:\n  # nothing yet\n', 'guardrails', {}],
  ['a variable where a number belongs', `server: { port: "\${PORT}" }`, 'server.port', 9000],
  ['a zero from a variable', `server:\n  shutdown_grace_ms: \${ZERO}\n`, 'server.shutdown_grace_ms', 0],
  ['a variable where a boolean belongs', `plugins:\n  fail_closed: \${FLAG}\n`, 'plugins.fail_closed', true],
  ['a variable where a text belongs', `server:\n  host: \${PORT}\n`, 'server.host', '9000'],
  ['a default for an unset variable', `server:\n  port: \${NOBODY:-81}\n`, 'server.port', 81],
  ['a default for an empty variable', `server:\n  host: \${EMPTY:-here}\n`, 'server.host', 'here'],
  [
    'a plain dollar',
    `prompt_partials:\n  a: { string: "$\${KEY} $5" }\n`,
    'prompt_partials.a.string',
    `\${KEY} $5`,
  ],
  ['a size in megabytes', 'server: { body_limit: 2mb }', 'server.body_limit', 2 * 1024 * 1024],
  ['a size in bytes', 'server: { body_limit: 77 }', 'server.body_limit', 77],
  ['a size with a fraction', 'cache: { max_bytes: 1.5 KiB }', 'cache.max_bytes', 1536],
  ['the default size', '', 'cache.max_bytes', 256 * 1024 * 1024],
  [
    'additional header prefixes',
    'server: { header_prefixes: [X-Acme-] }',
    'server.header_prefixes',
    ['x-gateway-', 'x-acme-'],
  ],
  [
    'merge keys, which own keys beat',
    'providers:\n  a: &a { provider: echo, api_key: one }\n  b:\n    <<: *a\n    api_key: two\n',
    'providers.b',
    { provider: 'echo', api_key: 'two' },
  ],
  [
    'an undeclared workspace',
    `api_keys: [{ name: a, key_hash: "sha256:${'0'.repeat(64)}", scopes: [x] }]`,
    'api_keys.0.workspace',
    'default',
  ],
  [
    'a provider without a credential, when a row makes it',
    'custom_providers:\n  acme: { base_url: "https://api.acme.example/v1", endpoints: [embed] }\nconfigs:\n  a: { provider: acme }\n',
    'configs.a.provider',
    'acme',
  ],
  ['JSON with tabs', '{\n\t"server": {\n\t\t"port": 1\n\t}\n}\n', 'server.port', 1],
  ['a byte order mark', '\uFEFFserver: { port: 1 }\n', 'server.port', 1],
]

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value)
}

describe('the config file reader', () => {
  for (const [what, text, ...faults] of bad) {
    it(`names the place of ${what}`, () => expect(faultsOf(text)).to.deep.equal(faults))
  }

  for (const [what, text, path, value] of good) {
    it(`reads ${what}`, () => {
      const { file, faults } = checkConfigText(text, environment, { context })
      expect(faults).to.deep.equal([])
      expect(at(file, path)).to.deep.equal(value)
    })
  }

  const strict: [what: string, text: string, fault: string][] = [
    [
      'a trailing comma',
      '{\n  "server": {\n    "port": 1,\n  }\n}\n',
      '4:3 is not valid JSON: found "}" where a key in double quotes is expected (remove the comma before it)',
    ],
    [
      'a comment',
      '{\n  // ports\n  "server": {}\n}',
      '2:3 is not valid JSON: found "/" where a key in double quotes or "}" is expected (JSON has no comments)',
    ],
    [
      'single quotes',
      "{'server': {}}",
      '1:2 is not valid JSON: found "\'" where a key in double quotes or "}" is expected (JSON uses straight double quotes)',
    ],
    ['YAML', 'server:\n  port: 1\n', '1:1 is not valid JSON: found "s" where a value is expected'],
    ['no text', '', '1:1 is not valid JSON: the text ends where a value is expected'],
    [
      'a variable without quotes',
      `{"server": {"port": \${PORT}}}`,
      '1:21 is not valid JSON: found "$" where a value is expected (write a variable in double quotes)',
    ],
  ]
  for (const [what, text, fault] of strict) {
    it(`refuses ${what} in a file named .json`, async () => {
      const path = join(await mkdtemp(join(tmpdir(), 'gateway-file-')), 'gateway.json')
      await writeFile(path, text)
      const { file, faults } = await readConfigFile(path, environment, context)
      expect(file).to.equal(null)
      expect(faults.map(({ line, column, message }) => `${line}:${column} ${message}`)).to.deep.equal([fault])
    })
  }

  it('reads JSON with variables and a byte order mark from a file named .json', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'gateway-file-')), 'GATEWAY.JSON')
    await writeFile(path, `\uFEFF{"server": {"port": "\${PORT}", "host": "a\\u0062\\/"}}`)
    const { file, faults } = await readConfigFile(path, environment, context)
    expect(faults).to.deep.equal([])
    expect([at(file, 'server.port'), at(file, 'server.host')]).to.deep.equal([9000, 'ab/'])
  })

  it('names a missing variable, and how to set a default', () => {
    const [fault] = checkConfigText(`server: { host: "\${NOBODY}" }`, {}, { context }).faults
    expect(fault?.message).to.include('NOBODY').and.include(`\${NOBODY:-default}`)
  })

  it('never prints a value: it could be a credential', () => {
    const text = 'providers:\n  a: { provider: [hidden-secret], api_key: { x: hidden-secret } }\n'
    const { faults } = checkConfigText(text, {}, { context })
    expect(faults).to.have.length.above(0)
    expect(JSON.stringify(faults)).not.to.include('hidden-secret')
  })

  it('finds errors on later lines, too', () => {
    const { locate } = checkConfigText('configs:\n  a:\n    provider: echo\n', {}, { context })
    expect(locate('/configs/a/provider')).to.deep.equal({ line: 3, column: 15 })
    expect(locate('/configs/a/targets/0')).to.deep.equal({ line: 2, column: 3 })
    expect(locate('/configs/a', 'provider')).to.deep.equal({ line: 3, column: 5 })
    expect(locate('')).to.deep.equal({ line: 1, column: 1 })
  })

  it('refuses aliases that would exhaust memory', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const item = level === 0 ? 'x' : `*l${level - 1}`
      return `  l${level}: &l${level} [${Array(10).fill(item).join(', ')}]\n`
    })
    const { faults } = checkConfigText(`prompts:\n${levels.join('')}`, {}, { context })
    expect(faults.map(({ message }) => message)).to.include('is repeated by aliases too often')
  })

  it("does not confuse the syntax's own names with names in the file", () => {
    const { file } = checkConfigText('', {}, { context })
    expect(file?.configs.constructor).to.equal(undefined)
    expect(file?.providers.toString).to.equal(undefined)
  })

  it('reports a file that cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-file-'))
    const bytes = join(folder, 'bytes.yaml')
    const huge = join(folder, 'huge.yaml')
    await writeFile(bytes, Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]))
    await writeFile(huge, `# ${'x'.repeat(10 * 1024 * 1024)}\n`)
    const messages = []
    for (const path of [join(folder, 'none.yaml'), folder, bytes, huge]) {
      const { file, faults } = await readConfigFile(path, {}, context)
      expect(file).to.equal(null)
      messages.push(...faults.map(({ line, code, message }) => `${line} ${code} ${message}`))
    }
    expect(messages).to.deep.equal([
      '1 unreadable_file does not exist: correct --config or GATEWAY_CONFIG, or create the file with "gateway init FILE"',
      '1 unreadable_file is a folder: name the config file in it',
      '1 unreadable_file is not UTF-8 text: save it in this encoding',
      '1 unreadable_file is larger than 10 MB, the limit of a config file',
    ])
  })
})
