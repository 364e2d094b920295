import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

let folder: string

async function run(
  command: string,
  text: string | null,
  { environment = {}, options = [] }: { environment?: Record<string, string>; options?: string[] } = {},
) {
  if (text !== null) await writeFile(join(folder, 'g.yaml'), text)
  const io = terminal({ directory: folder, environment })
  return {
    code: await main([command, '--config', 'g.yaml', ...options], io),
    output: io.output,
    errors: io.errors,
  }
}

const good = `providers:
  mine: { provider: echo }
configs:
  a: { provider: '@mine', input_guardrails: [short] }
guardrails:
  short: { default.wordCount: { maxWords: 3 } }
api_keys:
  - { name: ci, key_hash: "sha256:${'0'.repeat(64)}", scopes: [completions.write] }
`

const nested = `providers:
  mine: { provider: echo }
configs:
  deep:
    strategy: { mode: fallback }
    targets:
      - strategy: { mode: loadbalance }
        targets:
          - { provider: '@mine', weight: 3, override_params: { model: one } }
          - { provider: '@mine', input_guardrails: [short] }
      - { provider: '@mine' }
guardrails:
  short: { default.wordCount: { maxWords: 3 } }
`

describe('gateway check', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-check-'))
  })

  it('refuses URLs of stores that no package opens, without their passwords', async () => {
    const text = 'store: { url: "mysql://ann:secret@db/gateway" }\nredis: { url: "localhost:6379" }\n'
    const { code, errors } = await run('check', text)
    expect(code).to.equal(1)
    expect(errors).to.match(
      /g\.yaml:1:15 \/store\/url No package opens a store at mysql: \(URLs start with one of .*sqlite:/,
    )
    expect(errors).to.match(/g\.yaml:2:15 \/redis\/url No package opens a store at localhost:/)
    expect(errors).to.not.contain('secret')
  })

  it('lists the packages that the gateway would load', async () => {
    const { code, output, errors } = await run('check', good)
    expect(errors).to.equal('')
    expect(code).to.equal(0)
    expect(output)
      .to.match(/^credentials +1 +mine$/m)
      .and.to.match(/^configs +1 +a$/m)
    expect(output)
      .to.match(/^guardrails +1 +short$/m)
      .and.to.match(/^keys +1 +ci$/m)
    expect(output).to.match(/^a +@mine +short$/m)
    expect(output).not.to.match(/^(?:providers|checks) /m)
  })

  for (const text of [
    '',
    '# only a comment\n',
    '{}',
    'null\n',
    'providers:\n',
    'providers: {}\nconfigs: {}\n',
  ]) {
    it(`warns that a file with ${JSON.stringify(text)} declares nothing`, async () => {
      const { code, output, errors } = await run('check', text)
      expect(errors).to.match(/^warning: g\.yaml:1:1 \/ declares nothing: no provider is configured\. .*\n$/)
      expect(output).to.match(/^g\.yaml is valid\.$/m)
      expect(code).to.equal(0)
    })
  }

  it('does not warn that a file with errors declares nothing', async () => {
    const { code, errors } = await run('check', 'servr: { port: 1 }\n')
    expect(code).to.equal(1)
    expect(errors.trim().split('\n')).to.deep.equal([
      'g.yaml:1:1 / has the unknown key "servr". Did you mean "server"? (invalid_file)',
    ])
  })

  it('reports a missing quote once', async () => {
    const { errors } = await run('check', 'providers:\n  echo: { provider: "echo }\n')
    expect(errors.trim().split('\n')).to.have.lengthOf(1)
  })

  it('says how to write a name that begins with @', async () => {
    const { errors } = await run('check', 'configs:\n  a: { provider: @echo }\n')
    expect(errors).to.include('(write "@echo" in quotes)')
  })

  it('does not warn of a file that only says where things are stored', async () => {
    expect((await run('check', 'logs: { bodies: none }\n')).errors).to.equal('')
  })

  it('lists providers and checks with --verbose', async () => {
    const { output } = await run('check', good, { options: ['--verbose'] })
    expect(output)
      .to.match(/^providers +\d+ .*\becho\b/m)
      .and.to.match(/^checks +\d+ .*default\.wordCount/m)
  })

  it('shows the targets of a config as a tree', async () => {
    const { output } = await run('check', nested)
    expect(output).to.match(
      /^deep +fallback\n +loadbalance\n +@mine one \(weight 3\)\n +@mine \(weight 1\) +short\n +@mine$/m,
    )
  })

  it('prints one JSON object for machines', async () => {
    const valid = await run('check', good, { options: ['--json'] })
    expect(JSON.parse(valid.output)).to.deep.include({ valid: true, errors: [], warnings: [] })
    const broken = await run('check', 'server: { port: -1 }\n', { options: ['--json'] })
    expect(broken.code).to.equal(1)
    expect(JSON.parse(broken.output)).to.deep.include({ valid: false, declared: null })
    expect((JSON.parse(broken.output) as { errors: string[] }).errors[0]).to.match(/^g\.yaml:1:17 /)
  })

  const faults: [what: string, text: string, line: string][] = [
    ['a syntax fault', 'server: [\n', 'g.yaml:2:1 / '],
    [
      'a schema fault',
      'server: { port: -1 }\n',
      'g.yaml:1:17 /server/port must be at least 0 (invalid_file)',
    ],
    ['an unknown provider', 'providers:\n  a: { provider: nobody }\n', 'g.yaml:2:18 /providers/a/provider '],
    ['an unknown credential', "configs:\n  a: { provider: '@none' }\n", 'g.yaml:2:18 /configs/a/provider '],
    [
      'an unknown guardrail',
      'configs:\n  a:\n    provider: echo\n    input_guardrails: [none]\n',
      'g.yaml:4:24 /configs/a/input_guardrails/0 ',
    ],
    [
      'an unknown config of a shadow',
      'configs:\n  safe: { provider: echo }\n  a:\n    provider: echo\n    shadow: { config: saef }\n',
      'g.yaml:5:23 /configs/a/shadow/config Unknown saved config "saef". Did you mean "safe"? Known: safe, a. (unknown_config)',
    ],
    [
      'an unknown config of the shadow of a target',
      'configs:\n  a:\n    strategy: { mode: single }\n    targets:\n      - { provider: echo, shadow: { config: "#none" } }\n',
      'g.yaml:5:45 /configs/a/targets/0/shadow/config ',
    ],
    [
      'an unknown version of the config of a shadow',
      'configs:\n  a: { provider: echo }\n  b: { provider: echo, shadow: { config: a@2 } }\n',
      'g.yaml:3:42 /configs/b/shadow/config ',
    ],
    ['an unknown check', 'guardrails:\n  g: { flyAway: {} }\n', 'g.yaml:2:'],
    [
      'a parameter of a check that is wrong',
      'guardrails:\n  g:\n    default.wordCount:\n      maxWords: many\n',
      'g.yaml:4:17 ',
    ],
    [
      'an alert above its limit',
      'providers:\n  a: { provider: echo, usage_limits: { credit_limit: 1, alert_threshold: 2 } }\n',
      'g.yaml:2:74 /providers/a/usage_limits/alert_threshold must be below credit_limit',
    ],
    [
      'a package that does not exist',
      'plugins: { packages: [./nowhere] }\n',
      'g.yaml:1:23 /plugins/packages/0 the package ',
    ],
    [
      'a package that is not installed',
      'plugins:\n  packages:\n    - no-such-package\n',
      'g.yaml:3:7 /plugins/packages/0 the package no-such-package is not installed: run "npm install no-such-package"',
    ],
    [
      'a certificate that does not exist',
      'server:\n  tls:\n    cert: ./no.crt\n    key: ./no.key\n',
      'g.yaml:3:11 /server/tls/cert ',
    ],
  ]
  for (const [what, text, line] of faults) {
    it(`names the place of ${what}`, async () => {
      const { code, output, errors } = await run('check', text)
      expect(code).to.equal(1)
      expect(errors).to.include(line)
      expect(output).to.equal('')
    })
  }

  it('accepts shadows that run configs of the file or their own', async () => {
    const shadows = ['b', '"#b"', 'b@1', '{ provider: echo }']
    const configs = shadows.map(
      (config, index) => `  a${index}: { provider: echo, shadow: { config: ${config} } }\n`,
    )
    const { errors } = await run('check', `configs:\n  b: { provider: echo }\n${configs.join('')}`)
    expect(errors).to.equal('')
  })

  it('reports every error at once', async () => {
    const { errors } = await run(
      'check',
      "providers:\n  a: { provider: nobody }\nconfigs:\n  b: { provider: '@none' }\n",
    )
    expect(errors).to.include('g.yaml:2:18 ').and.include('g.yaml:4:18 ')
  })

  it('reports unknown names together with schema errors', async () => {
    const lines = [
      'server: { port: 99999, foo: 1 }',
      'providers:',
      '  a: { provider: nobody }',
      `  b: { provider: openai, api_key: "\${NOT_SET}" }`,
      '  "c!": { provider: echo }',
      'security: { trusted_hosts: [nonsense] }',
      'configs:',
      '  d: { strategy: { mode: fallback } }',
      '  e: { provider: "@d", input_guardrails: [none] }',
      'guardrails:',
      '  f: { default.regexMatch: { rule: 5 } }',
      '  g: { nothing.atAll: {} }',
      'api_keys:',
      '  - { name: ci, key_hash: "sha256:00", scopes: [nothing] }',
      'plugins: { packages: [./nowhere] }',
    ]
    const { errors } = await run('check', `${lines.join('\n')}\n`)
    const places = errors.split('\n').flatMap((line) => /^g.yaml:(\d+):/.exec(line)?.[1] ?? [])
    expect(places.map(Number)).to.deep.equal([15, 1, 1, 3, 4, 5, 6, 8, 9, 11, 12, 14])
    expect(errors).to.include('nowhere')
  })

  it('does not report names as unknown in a file that it cannot read', async () => {
    const { errors } = await run(
      'check',
      'providers:\n  a: { provider: echo, foo: 1 }\nconfigs:\n  b: { provider: "@a" }\n',
    )
    expect(errors.trim().split('\n'))
      .to.have.length(1)
      .and.match(/^g.yaml:2/)
  })

  it('reports an error of the provider that makes embeddings once, where it is declared', async () => {
    const provider = '{ provider: openai, api_key: k, custom_host: "http://169.254.169.254/v1" }'
    const { errors } = await run(
      'check',
      `providers:\n  vectors: ${provider}\ncache:\n  semantic: { provider: vectors, model: m }\n`,
    )
    expect(errors.trim().split('\n'))
      .to.have.length(1)
      .and.match(/^g.yaml:2:\d+ \/providers\/vectors\/custom_host /)
  })

  it('reports a variable that a plugin setting lacks once, not again at each use', async () => {
    const file = (key: string) =>
      `plugins:\n  settings:\n    lasso: { ${key}: "\${LASSO_KEY}" }\nguardrails:\n  a: { lasso.classify: {} }\n`
    const { errors } = await run('check', file('apiKey'))
    expect(errors.trim().split('\n'))
      .to.have.length(1)
      .and.match(/^g.yaml:3:\d+ .*LASSO_KEY/)
    for (const key of ['apiKey', 'api_key']) {
      const { code, errors: none } = await run('check', file(key), { environment: { LASSO_KEY: 'secret' } })
      expect([code, none]).to.deep.equal([0, ''])
    }
  })

  it('reports variables with invalid values', async () => {
    const { code, errors } = await run('check', good, { environment: { GATEWAY_PORT: '99999' } })
    expect(code).to.equal(1)
    expect(errors).to.include('GATEWAY_PORT')
  })

  it('checks the built-in configuration without a file at the default path', async () => {
    const recording = terminal({ directory: await mkdtemp(join(tmpdir(), 'gateway-check-')) })
    expect(await main(['check'], recording)).to.equal(0)
    expect(recording.errors).to.include('No config file at config/gateway.yaml')
    expect(recording.output).to.include('The built-in configuration is valid.').and.include('echo')
  })

  it('reports a missing file', async () => {
    const { code, errors } = await run('check', null)
    expect(code).to.equal(1)
    expect(errors.trim().split('\n')).to.deep.equal([
      'g.yaml does not exist: correct --config or GATEWAY_CONFIG, or create the file with "gateway init FILE" (unreadable_file)',
    ])
  })

  it('warns about mail without a public URL, and passes', async () => {
    const { code, errors } = await run(
      'check',
      `${good}email: { smtp_url: "smtp://a.example", from: a@b.example }\n`,
    )
    expect(code).to.equal(0)
    expect(errors).to.include('warning: g.yaml:9:')
  })

  it('warns about a key in a workspace that is not declared, and suggests one', async () => {
    const key = `{ name: app, key_hash: "sha256:${'0'.repeat(64)}", scopes: [completions.write], workspace: reserch }`
    const { code, errors } = await run('check', `workspaces: { research: {} }\napi_keys: [${key}]\n`)
    expect(code).to.equal(0)
    expect(errors).to.include('warning: g.yaml:2:')
    expect(errors).to.include('/api_keys/0/workspace Unknown workspace "reserch". Did you mean "research"?')
  })

  it('warns about a disabled name that no package has, and suggests one', async () => {
    const { code, errors } = await run('check', `${good}plugins:\n  disabled: [dry-rnu, scim, openai]\n`)
    expect(code).to.equal(0)
    expect(errors.trim().split('\n')).to.have.length(1)
    expect(errors).to.include(
      'warning: g.yaml:10:14 /plugins/disabled/0 Unknown package, plugin or provider "dry-rnu". Did you mean "dry-run"?',
    )
  })

  it('accepts disabled names of packages and of their parts', async () => {
    const names = "'@gateway/provider-openai', echo, default, scim, realtime, dialect-messages"
    const { errors } = await run('check', `plugins: { disabled: [${names}] }\n`)
    expect(errors).to.equal('')
  })
})

describe('gateway plugins', () => {
  it('lists providers with their endpoints, and plugins with their checks', async () => {
    const { code, output } = await run('plugins', '')
    expect(code).to.equal(0)
    expect(output).to.match(/^KIND +NAME +VERSION +PACKAGE +BRINGS$/m)
    expect(output).to.match(/^provider +echo +\d+\.\d+\.\d+ +@gateway\/provider-echo +.*chatComplete/m)
    expect(output).to.match(/^guardrail +default +\d+\.\d+\.\d+ +@gateway\/plugin-default +.*regexMatch/m)
  })

  const named: [words: string[], first: RegExp, not: string][] = [
    [['echo'], /^provider +echo /m, 'default'],
    [['default'], /^guardrail +default /m, 'echo'],
    [['@gateway/provider-echo'], /^provider +echo /m, 'default'],
    [['--checks', 'default'], /^default\.contains \(guardrail, before and after\)$/m, 'KIND'],
    [
      ['--checks', 'default.contains'],
      /^ {2}words: list of string, required\n {6}Words/m,
      'default.wordCount',
    ],
  ]
  for (const [words, first, not] of named)
    it(`lists only ${words.join(' ')}`, async () => {
      const io = terminal({ directory: folder })
      await writeFile(join(folder, 'g.yaml'), '')
      expect(await main(['plugins', ...words, '--config', 'g.yaml'], io)).to.equal(0)
      expect(io.output).to.match(first).and.not.include(not)
    })

  for (const words of [['contains'], ['--checks', 'echo'], ['--checks', 'default.contians']])
    it(`fails for ${words.join(' ')}, which does not exist`, async () => {
      const io = terminal({ directory: folder })
      await writeFile(join(folder, 'g.yaml'), '')
      expect(await main(['plugins', ...words, '--config', 'g.yaml'], io)).to.equal(1)
      expect(io.errors).to.include(`"${words.at(-1)}"`)
    })

  it('leaves out disabled packages', async () => {
    const { output } = await run('plugins', 'plugins: { disabled: [echo] }\n')
    expect(output).not.to.match(/^provider +echo /m)
  })

  it('fails when a package cannot be loaded', async () => {
    const { code, errors } = await run('plugins', 'plugins: { packages: [./nowhere] }\n')
    expect(code).to.equal(1)
    expect(errors).to.include('nowhere')
  })
})
