/**
 * `gateway connect`: the changes to each agent's settings, the preserved parts, the output, the questions, and undoing.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { terminal } from './support.ts'

const key = 'gw-0123456789abcdefghijklmnop'
const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Another text each time that a shell reads it. */
const eachStart = `"$(date +%s)-$$"''`

interface Case {
  agent: string
  /** A file below the home folder: its content before (null for no file) and afterwards. */
  files: Record<string, [before: string | null, after: (url: string) => string]>
}

const cases: readonly Case[] = [
  {
    agent: 'claude-code',
    files: {
      '.claude/settings.json': [
        '{\n  // mine\n  "theme": "dark", // dark\n  "env": {"OTHER": "1", "ANTHROPIC_BASE_URL": "https://old.example"}, /* last */\n}\n',
        (url) =>
          `{\n  // mine\n  "theme": "dark", // dark\n  "env": {"OTHER": "1", "ANTHROPIC_BASE_URL": "${url}", "ANTHROPIC_AUTH_TOKEN": "${key}", "ANTHROPIC_MODEL": "@echo/m"}, /* last */\n}\n`,
      ],
    },
  },
  {
    agent: 'codex',
    files: {
      '.codex/config.toml': [
        '# mine\nmodel_provider = "old"\napproval_policy = "never" # always\n\n[model_providers.gateway]\nname = "old" \nextra = 1\n\n[tui]\ntheme = "x"\n',
        (url) =>
          `# mine\nmodel_provider = "gateway"\napproval_policy = "never" # always\nmodel = "@echo/m"\n\n[model_providers.gateway]\nname = "Gateway"\nextra = 1\nbase_url = "${url}/v1"\nwire_api = "responses"\nexperimental_bearer_token = "${key}"\n\n[tui]\ntheme = "x"\n`,
      ],
    },
  },
  {
    agent: 'opencode',
    files: {
      '.config/opencode/opencode.json': [
        null,
        (url) =>
          `{\n  "provider": {\n    "gateway": {\n      "npm": "@ai-sdk/openai-compatible",\n      "name": "Gateway",\n      "options": {\n        "baseURL": "${url}/v1",\n        "apiKey": "${key}"\n      },\n      "models": {\n        "@echo/m": {\n          "attachment": true,\n          "modalities": {\n            "input": [\n              "text",\n              "image"\n            ],\n            "output": [\n              "text"\n            ]\n          }\n        }\n      }\n    }\n  },\n  "model": "gateway/@echo/m"\n}\n`,
      ],
    },
  },
  {
    agent: 'copilot',
    files: {
      '.copilot/gateway.env': [
        null,
        (url) =>
          `export COPILOT_PROVIDER_TYPE='openai'\nexport COPILOT_PROVIDER_BASE_URL='${url}/v1'\nexport COPILOT_PROVIDER_API_KEY='${key}'\nexport COPILOT_MODEL='@echo/m'\nexport COPILOT_PROVIDER_HEADERS='x-gateway-trace-id: copilot-'${eachStart}\n`,
      ],
    },
  },
  {
    agent: 'qwen-code',
    files: {
      '.qwen/settings.json': [
        '{\n  "ui": { "theme": "x" }\n}\n',
        (url) =>
          `{\n  "ui": { "theme": "x" },\n  "security": {\n    "auth": {\n      "selectedType": "openai",\n      "baseUrl": "${url}/v1",\n      "apiKey": "${key}"\n    }\n  },\n  "model": {\n    "name": "@echo/m",\n    "generationConfig": {\n      "modalities": {\n        "image": true\n      },\n      "customHeaders": {\n        "x-gateway-trace-id": "\${QWEN_GATEWAY_TRACE}"\n      }\n    }\n  }\n}\n`,
      ],
      '.qwen/gateway.env': [null, () => `export QWEN_GATEWAY_TRACE='qwen-'${eachStart}\n`],
    },
  },
  {
    agent: 'cline',
    files: {
      '.cline/data/settings/providers.json': [
        '{"version":1,"providers":{"cline":{"settings":{"provider":"cline"}}}}',
        (url) =>
          `{"version":1,"providers":{"cline":{"settings":{"provider":"cline"}}, "opencode-go": {"settings":{"provider":"opencode-go", "apiKey": "${key}", "model": "@echo/m", "baseUrl": "${url}/v1"}, "updatedAt": "1970-01-01T00:00:00.000Z", "tokenSource": "manual"}}, "lastUsedProvider": "opencode-go"}`,
      ],
    },
  },
  {
    agent: 'continue',
    files: {
      '.continue/config.yaml': [
        '# mine\nname: Own\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Other # keep\n    provider: ollama\n    model: llama\n',
        (url) =>
          `# mine\nname: Own\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Other # keep\n    provider: ollama\n    model: llama\n  - name: Gateway\n    provider: openai\n    model: "@echo/m"\n    apiBase: ${url}/v1\n    apiKey: ${key}\n    requestOptions:\n      headers:\n        x-gateway-trace-id: \${{ secrets.CONTINUE_GATEWAY_TRACE }}\n`,
      ],
      '.continue/gateway.env': [null, () => `export CONTINUE_GATEWAY_TRACE='continue-'${eachStart}\n`],
    },
  },
  {
    agent: 'gemini-cli',
    files: {
      '.gemini/settings.json': [
        '{"security": {"auth": {"selectedType": "oauth-personal"}}}',
        () => '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"name":"@echo/m"}}',
      ],
      '.gemini/.env': [
        'OTHER=1\n',
        (url) => `OTHER=1\nGOOGLE_GEMINI_BASE_URL="${url}"\nGEMINI_API_KEY="${key}"\n`,
      ],
      '.gemini/gateway.env': [
        null,
        () => `export GEMINI_CLI_CUSTOM_HEADERS='x-gateway-trace-id: gemini-'${eachStart}\n`,
      ],
    },
  },
]

interface Ran {
  code: number
  output: string
  errors: string
}

describe('gateway connect', () => {
  let home: string
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      providers: { echo: { provider: 'echo' }, other: { provider: 'echo' } },
      api_keys: [
        { key_hash: hashOf(key), name: 'agent', workspace: 'default', scopes: ['completions.write'] },
        {
          key_hash: hashOf('gw-reader-0123456789abcdef'),
          name: 'reader',
          workspace: 'default',
          scopes: ['logs.list'],
        },
      ],
    })
  })
  after(() => gateway.stop())
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'gateway-connect-'))
  })

  async function run(
    words: string[],
    environment: Record<string, string> = {},
    answer?: string,
  ): Promise<Ran> {
    const io = terminal({ directory: home, environment: { HOME: home, ...environment } })
    if (answer !== undefined) io.ask = async () => answer
    const code = await main(['connect', ...words], io)
    return { code, output: io.output, errors: io.errors }
  }

  const put = async (file: string, text: string) => {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), text)
  }
  const textOf = (file: string) => readFile(join(home, file), 'utf8').catch(() => null)
  const withKey = (agent: string, ...more: string[]) => [
    ...[agent, '--url', `${gateway.url}/`, '--key', key, '--model', '@echo/m'],
    ...more,
  ]

  for (const { agent, files } of cases) {
    const prepare = async () => {
      for (const [file, [before]] of Object.entries(files)) if (before !== null) await put(file, before)
    }
    const texts = async () =>
      Object.fromEntries(
        await Promise.all(Object.keys(files).map(async (file) => [file, await textOf(file)])),
      )
    const originals = Object.fromEntries(Object.entries(files).map(([file, [before]]) => [file, before]))

    it(`writes the settings of ${agent}, keeps everything else, and never prints a whole key`, async () => {
      await prepare()
      const { code, output, errors } = await run(withKey(agent, '--yes'))
      expect(code, errors).to.equal(0)
      for (const [file, [, expected]] of Object.entries(files)) {
        expect(await textOf(file)).to.equal(expected(gateway.url))
        expect((await stat(join(home, file))).mode & 0o077).to.equal(0)
      }
      expect(output).to.include('gw-012…mnop').and.not.include(key)
    })

    it(`takes the settings of ${agent} back, even after connecting twice`, async () => {
      await prepare()
      await run(withKey(agent, '--yes'))
      await run(withKey(agent, '--yes', '--model', '@echo/other'))
      expect((await run([agent, '--undo'])).code).to.equal(0)
      expect(await texts()).to.deep.equal(originals)
      expect((await run([agent, '--undo'])).code).to.equal(1)
    })

    it(`writes nothing for ${agent} in a dry run`, async () => {
      await prepare()
      const { code, output } = await run(withKey(agent, '--dry-run'))
      expect(code).to.equal(0)
      expect(output).to.include('nothing was written').and.include('+ ')
      expect(await texts()).to.deep.equal(originals)
      expect(await readdir(home)).to.not.include('.gateway')
    })
  }

  it('takes back only its own lines from a file that was edited since', async () => {
    await put(
      '.claude/settings.json',
      '{\n  "env": {\n    "ANTHROPIC_BASE_URL": "https://old.example"\n  }\n}\n',
    )
    await run(withKey('claude-code', '--yes'))
    const text = (await textOf('.claude/settings.json')) ?? ''
    await put(
      '.claude/settings.json',
      text.replace('@echo/m', 'mine').replace('{\n', '{\n  "theme": "dark", // new\n'),
    )
    const { code, output } = await run(['claude-code', '--undo'])
    expect(code).to.equal(0)
    expect(output).to.include('Kept, because it was changed since: env.ANTHROPIC_MODEL')
    expect(await textOf('.claude/settings.json')).to.equal(
      '{\n  "theme": "dark", // new\n  "env": {\n    "ANTHROPIC_BASE_URL": "https://old.example",\n    "ANTHROPIC_MODEL": "mine"\n  }\n}\n',
    )
  })

  it('takes back only its own lines from other formats', async () => {
    await run(withKey('codex'))
    await run(withKey('continue'))
    await put('.codex/config.toml', `${await textOf('.codex/config.toml')}\n[tui]\ntheme = "x"\n`)
    await put('.continue/config.yaml', `${await textOf('.continue/config.yaml')}rules: [short]\n`)
    await run(['codex', '--undo'])
    await run(['continue', '--undo'])
    expect((await textOf('.codex/config.toml'))?.trim()).to.equal('[tui]\ntheme = "x"')
    expect(await textOf('.continue/config.yaml')).to.equal('rules: [ short ]\n')
  })

  describe('when it would overwrite settings', () => {
    const before =
      '{"env": {"ANTHROPIC_AUTH_TOKEN": "sk-ant-0123456789-secret", "ANTHROPIC_BASE_URL": "https://old.example"}}'
    beforeEach(() => put('.claude/settings.json', before))

    it('shows the former values with secrets masked', async () => {
      const { output } = await run(withKey('claude-code', '--dry-run'))
      expect(output).to.include('- env.ANTHROPIC_BASE_URL: "https://old.example"')
      expect(output)
        .to.include('- env.ANTHROPIC_AUTH_TOKEN: sk-ant…cret')
        .and.not.include('0123456789-secret')
    })

    it('needs --yes without a terminal', async () => {
      const { code, errors } = await run(withKey('claude-code'))
      expect(code).to.equal(1)
      expect(errors).to.include('--yes')
      expect(await textOf('.claude/settings.json')).to.equal(before)
    })

    for (const [answer, code] of [
      ['y', 0],
      ['no', 1],
      ['', 1],
    ] as const) {
      it(`asks at a terminal, and ${code === 0 ? 'writes' : 'writes nothing'} after "${answer}"`, async () => {
        expect((await run(withKey('claude-code'), {}, answer)).code).to.equal(code)
        expect((await textOf('.claude/settings.json')) === before).to.equal(code === 1)
      })
    }

    it('creates no key if the answer is no', async () => {
      const count = async () =>
        ((await (await gateway.get('/v1/api-keys')).json()) as { total: number }).total
      const keys = await count()
      await run(['claude-code', '--url', gateway.url], { GATEWAY_ADMIN_KEY: adminKey }, 'n')
      expect(await count()).to.equal(keys)
    })
  })

  it('leaves the choice of the model to the agent when none is named, if the agent can choose', async () => {
    await run(['codex', '--url', gateway.url, '--key', key])
    expect(await textOf('.codex/config.toml')).not.to.match(/^model =/m)
    expect((await run(['continue', '--key', key])).errors).to.include('--model')
  })

  it('refuses a settings file that it cannot edit before it creates a key', async () => {
    await put('.claude/settings.json', '{ "env": [1,, ] }')
    const { code, errors } = await run(withKey('claude-code'))
    expect(code).to.equal(1)
    expect(errors).to.include('~/.claude/settings.json is not valid JSON at line 1')
  })

  it('refuses a key that the gateway does not accept, and one that may call no model', async () => {
    const asked = (other: string) => run(['codex', '--url', gateway.url, '--key', other])
    expect(await asked('gw-unknown'))
      .to.include({ code: 1 })
      .and.property('errors')
      .include('answered 401')
    const reader = await asked('gw-reader-0123456789abcdef')
    expect(reader.code).to.equal(1)
    expect(reader.errors).to.include('completions.write')
    const away = await run(['codex', '--url', 'http://127.0.0.1:1', '--key', key])
    expect(away.errors).to.include('does not answer')
    expect(await textOf('.codex/config.toml')).to.equal(null)
    const trial = await run(['codex', '--url', 'http://127.0.0.1:1', '--key', key, '--dry-run'])
    expect(trial.code).to.equal(0)
    expect(trial.errors).to.include('was not checked')
  })

  it('suggests the nearest agent name, and names the options needed to create a key', async () => {
    expect((await run(['claud-code'])).errors).to.include('Did you mean "claude-code"?')
    expect((await run(['codex'])).errors).to.include('GATEWAY_ADMIN_KEY')
    expect((await run(['codex', '--budget', 'much'], { GATEWAY_ADMIN_KEY: 'x' })).code).to.equal(2)
  })

  describe('with the admin key', () => {
    const admin = { GATEWAY_ADMIN_KEY: adminKey }
    const tokenOf = async () =>
      (JSON.parse((await textOf('.claude/settings.json')) ?? '') as { env: Record<string, string> }).env
        .ANTHROPIC_AUTH_TOKEN ?? ''
    const tomlKey = async () =>
      /bearer_token = "(.*)"/.exec((await textOf('.codex/config.toml')) ?? '')?.[1] ?? ''
    const call = (token: string, model: string) =>
      fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'hello' }),
      })

    it('creates a key with a budget, uses it again, and revokes it', async () => {
      const words = ['claude-code', '--url', gateway.url, '--budget', '5']
      const { code, output, errors } = await run(words, admin)
      expect(code, errors).to.equal(0)
      const made = await tokenOf()
      expect(output).to.include('budget of 5 USD').and.not.include(made)
      expect((await call(made, '@echo/echo-1')).status).to.equal(200)
      expect((await run(words)).code).to.equal(0)
      expect(await tokenOf()).to.equal(made)
      const early = await run(['claude-code', '--undo'])
      expect([early.code, early.errors]).to.deep.include(1)
      expect(early.errors).to.include('GATEWAY_ADMIN_KEY')
      expect((await run(['claude-code', '--undo'], admin)).code).to.equal(0)
      expect((await call(made, '@echo/echo-1')).status).to.equal(401)
      expect(await readdir(join(home, '.gateway/connect'))).to.deep.equal([])
    })

    it('gives the key of Codex a default config, so that Codex has the plain name of its model', async () => {
      const words = ['codex', '--url', gateway.url, '--model', '@echo/echo-1']
      const { code, errors } = await run(words, admin)
      expect(code, errors).to.equal(0)
      expect(await textOf('.codex/config.toml')).to.match(/^model = "echo-1"$/m)
      const made = await tomlKey()
      const provider = async () => (await call(made, 'echo-1')).headers.get('x-gateway-virtual-key')
      expect(await provider()).to.equal('echo')
      expect((await run([...words.slice(0, 4), '@other/echo-1'])).errors).to.include('GATEWAY_ADMIN_KEY')
      await run([...words.slice(0, 4), '@other/echo-1'], admin)
      expect(await tomlKey()).to.equal(made)
      expect(await provider()).to.equal('other')
      await run(['codex', '--undo'], admin)
      const { data } = (await (await gateway.get('/v1/configs?search=codex')).json()) as { data: unknown[] }
      expect(data).to.deep.equal([])
    })

    for (const agent of ['claude-code', 'gemini-cli'])
      it(`gives the key of ${agent} a config for all of its models, and says so if it has none`, async () => {
        const without = await run([agent, '--url', gateway.url], admin)
        expect(without.output).to.include('It has no config').and.to.include('--model @SLUG/MODEL')
        const { output } = await run([agent, '--yes', '--url', gateway.url, '--model', '@echo/echo-1'], admin)
        expect(output)
          .to.include('sends every model to the provider "echo"')
          .and.not.to.include('It has no config')
        const key = /(gw-\w+)"/.exec(
          (await textOf(agent === 'gemini-cli' ? '.gemini/.env' : '.claude/settings.json')) ?? '',
        )?.[1]
        const answer = await call(String(key), 'a-smaller-model')
        expect([answer.status, answer.headers.get('x-gateway-virtual-key')]).to.deep.equal([200, 'echo'])
        await run([agent, '--undo'], admin)
      })

    it("prints the gateway's error when no key can be created", async () => {
      const { code, errors } = await run(['codex', '--url', gateway.url], { GATEWAY_ADMIN_KEY: 'wrong' })
      expect(code).to.equal(1)
      expect(errors).to.include('answered 401')
    })
  })
})
