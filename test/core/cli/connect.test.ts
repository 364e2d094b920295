/** `gateway connect`: what it writes into each agent's settings, what it keeps, what it prints, and how to undo it. */
import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { terminal } from './support.ts'

const key = 'gw-0123456789abcdefghijklmnop'
const files: Readonly<Record<string, string>> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/config.toml',
  opencode: '.config/opencode/opencode.json',
  copilot: '.copilot/gateway.env',
}

async function run(home: string, words: string[], environment: Record<string, string> = {}) {
  const io = terminal({ directory: home, environment: { HOME: home, ...environment } })
  const code = await main(['connect', ...words], io)
  return { code, output: io.output, errors: io.errors }
}

const textOf = (home: string, agent: string) => readFile(join(home, files[agent] ?? ''), 'utf8')

describe('gateway connect', () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'gateway-connect-'))
  })

  const written: [agent: string, before: string | null, expected: (text: string) => void][] = [
    [
      'claude-code',
      '{"theme": "dark", "env": {"OTHER": "1", "ANTHROPIC_BASE_URL": "https://old.example"}}',
      (text) =>
        expect(JSON.parse(text)).to.deep.equal({
          theme: 'dark',
          env: {
            OTHER: '1',
            ANTHROPIC_BASE_URL: 'http://gateway.test',
            ANTHROPIC_AUTH_TOKEN: key,
            ANTHROPIC_MODEL: '@p/m',
          },
        }),
    ],
    [
      'codex',
      'model_provider = "old"\napproval_policy = "never"\n\n[model_providers.gateway]\nname = "old"\n\n[tui]\ntheme = "x"\n',
      (text) =>
        expect(text).to.equal(
          `model_provider = "gateway"\nmodel = "@p/m"\napproval_policy = "never"\n\n[tui]\ntheme = "x"\n\n[model_providers.gateway]\nname = "Gateway"\nbase_url = "http://gateway.test/v1"\nwire_api = "responses"\nexperimental_bearer_token = "${key}"\n`,
        ),
    ],
    [
      'opencode',
      null,
      (text) =>
        expect(JSON.parse(text)).to.deep.equal({
          provider: {
            gateway: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Gateway',
              options: { baseURL: 'http://gateway.test/v1', apiKey: key },
              models: { '@p/m': {} },
            },
          },
          model: 'gateway/@p/m',
        }),
    ],
    [
      'copilot',
      null,
      (text) =>
        expect(text).to.equal(
          `export COPILOT_PROVIDER_TYPE='openai'\nexport COPILOT_PROVIDER_BASE_URL='http://gateway.test/v1'\nexport COPILOT_PROVIDER_API_KEY='${key}'\nexport COPILOT_MODEL='@p/m'\n`,
        ),
    ],
  ]
  for (const [agent, before, expected] of written) {
    const file = () => join(home, files[agent] ?? '')
    const words = [agent, '--url', 'http://gateway.test/', '--key', key, '--model', '@p/m']

    it(`writes the settings of ${agent}, keeps the other settings, and never prints a whole key`, async () => {
      await mkdir(dirname(file()), { recursive: true })
      if (before !== null) await writeFile(file(), before)
      const { code, output, errors } = await run(home, words)
      expect(code, errors).to.equal(0)
      expected(await textOf(home, agent))
      expect((await stat(file())).mode & 0o077).to.equal(0)
      expect(output).to.include('gw-012…mnop').and.not.include(key)
    })

    it(`restores the settings of ${agent}, even after connecting twice`, async () => {
      await mkdir(dirname(file()), { recursive: true })
      if (before !== null) await writeFile(file(), before)
      await run(home, words)
      await run(home, words)
      expect((await run(home, [agent, '--undo'])).code).to.equal(0)
      const left = await readFile(file(), 'utf8').catch(() => null)
      expect(left).to.equal(before)
      expect((await run(home, [agent, '--undo'])).code).to.equal(1)
    })

    it(`writes nothing for ${agent} in a dry run`, async () => {
      const { code, output } = await run(home, [...words, '--dry-run'])
      expect(code).to.equal(0)
      expect(output).to.include('nothing was written').and.include('+ ')
      expect(await readFile(file(), 'utf8').catch(() => null)).to.equal(null)
    })
  }

  it('leaves the choice of the model to the agent when none is named', async () => {
    await run(home, ['codex', '--key', key])
    expect(await textOf(home, 'codex')).not.to.match(/^model =/m)
  })

  it('refuses a settings file that it cannot edit before it creates a key', async () => {
    await mkdir(join(home, '.claude'))
    await writeFile(join(home, '.claude/settings.json'), '{ // mine\n}')
    const { code, errors } = await run(home, ['claude-code', '--key', key])
    expect(code).to.equal(1)
    expect(errors).to.include('.claude/settings.json: is not plain JSON')
  })

  it('suggests the nearest agent name, and says what it needs to create a key', async () => {
    expect((await run(home, ['claud-code'])).errors).to.include('Did you mean "claude-code"?')
    expect((await run(home, ['codex'])).errors).to.include('GATEWAY_ADMIN_KEY')
    expect((await run(home, ['codex', '--budget', 'much'], { GATEWAY_ADMIN_KEY: 'x' })).code).to.equal(2)
  })

  describe('with a running gateway', () => {
    let gateway: TestGateway
    before(async () => {
      gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    })
    after(() => gateway.stop())

    it("creates a key with a budget that works for the agent's requests", async () => {
      const words = ['claude-code', '--url', gateway.url, '--budget', '5']
      const { code, output, errors } = await run(home, words, { GATEWAY_ADMIN_KEY: adminKey })
      expect(code, errors).to.equal(0)
      const { env } = JSON.parse(await textOf(home, 'claude-code')) as { env: Record<string, string> }
      expect(output).to.include('budget of 5 USD').and.not.include(env.ANTHROPIC_AUTH_TOKEN)
      const answer = await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${env.ANTHROPIC_AUTH_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: '@echo/echo-1',
          max_tokens: 10,
          messages: [{ role: 'user', content: 'hello' }],
        }),
      })
      expect(answer.status).to.equal(200)
    })

    it("prints the gateway's error when no key can be created", async () => {
      const { code, errors } = await run(home, ['codex', '--url', gateway.url], {
        GATEWAY_ADMIN_KEY: 'wrong',
      })
      expect(code).to.equal(1)
      expect(errors).to.include('answered 401')
    })
  })
})
