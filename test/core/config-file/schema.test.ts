import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { publishSchemas } from '#config-file/publish'
import { checkConfigText, createFileContext, readConfigFile } from '#config-file/read-file'
import { createConfigSchema } from '#config-file/routing-config'
import { createFileSchema, fileSections } from '#config-file/schema'
import { main } from '#core/cli/main'
import { createValidator } from '#validation/validate'
import { terminal } from '../cli/support.ts'

const root = new URL('../../../../', import.meta.url)
const context = createFileContext(['echo'])

/** Files that touch every section, right and wrong. */
const files: unknown[] = [
  {},
  { server: { port: 1, host: 'x' }, cache: { max_bytes: '1mb' }, logs: { level: 'info' } },
  { server: { port: '1' } },
  { server: { body_limit: '25 mb', header_prefixes: ['x-acme-'] } },
  { server: { header_prefixes: ['x-'] } },
  { store: {} },
  { redis: { url: 'nowhere' } },
  { upstream: { max_answer_bytes: '1mb' }, server: { max_buffered_bytes: '1gb' } },
  { upstream: { max_answer_bytes: 0 } },
  {
    providers: {
      a: { provider: 'openai', api_key: 'k', rate_limits: [{ type: 'requests', unit: 'rpm', value: 1 }] },
    },
  },
  { providers: { a: { provider: 'openai', rate_limits: { type: 'requests', unit: 'rpm' } } } },
  { providers: { 'a b': { provider: 'openai' } } },
  { custom_providers: { acme: { base_url: 'https://a.example', endpoints: ['embed'] } } },
  { custom_providers: { acme: { base_url: 'file:///etc', endpoints: ['embed'] } } },
  { configs: { a: { provider: 'openai', api_key: 'k' } } },
  { configs: { a: { provider: 'openai' } } },
  { configs: { a: { strategy: { mode: 'conditional' }, targets: [{ provider: 'echo' }] } } },
  { configs: [] },
  { guardrails: { g: { deny: true, wordCount: { maxWords: 3 } } } },
  { guardrails: { g: { deny: 'yes' } } },
  { prompts: { p: { string: '[{"role":"user","content":"Hello"}]', model: 'm' } } },
  { prompt_partials: { p: { string: 'Hello' } } },
  { prompts: { p: {} } },
  {
    api_keys: [
      { name: 'a', key_hash: `sha256:${'0'.repeat(64)}`, scopes: ['*'], defaults: { metadata: { a: 'b' } } },
    ],
  },
  { api_keys: [{ name: 'a', key_hash: 'x', scopes: [] }] },
  { plugins: { packages: ['./a'], settings: { a: { key: 1 } } } },
  { plugins: { settings: { a: 1 } } },
  { workspaces: { w: { defaults: { input_guardrails: ['g', { deny: true }] } } } },
  { workspaces: { w: { defaults: { input_guardrails: [1] } } } },
  {
    policies: {
      usage_limits: [
        { conditions: [{ key: 'model', value: ['*'] }], group_by: [{ key: 'api_key' }], credit_limit: 1 },
      ],
    },
  },
  { policies: { rate_limits: [{}] } },
  { mcp_servers: { m: { url: 'https://m.example', transport: 'http' } }, agent_servers: { a: { url: 'x' } } },
  {
    email: { smtp_url: 'smtp://mail.example', from: 'a@example.com' },
    files: { max_bytes: '1gb' },
    batches: { concurrency: 3 },
  },
  { telemetry: { otlp_endpoint: 'https://t.example' }, public_url: 'https://g.example' },
  { nothing: 1 },
]

describe('the schema of the config file', () => {
  it('is published in its current form (after a change: gateway schema)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-schema-'))
    expect(await main(['schema', '--out', folder], terminal({ directory: folder }))).to.equal(0)
    for (const name of ['gateway.schema.json', 'routing.schema.json']) {
      const fresh = await readFile(join(folder, name), 'utf8')
      expect(await readFile(new URL(`config/${name}`, root), 'utf8'), name).to.equal(fresh)
    }
  })

  it('is the same for the same providers in any order', () => {
    expect(publishSchemas(['b', 'a'])).to.deep.equal(publishSchemas(['a', 'b']))
  })

  it('accepts and refuses the same files as the gateway', () => {
    const whole = createValidator(createFileSchema(createConfigSchema(['echo', 'acme'])))
    const verdicts = files.map((file) => {
      const { faults } = checkConfigText(JSON.stringify(file), {}, { context })
      const isRefused = faults.some(({ code }) => code === 'invalid_file' || code === 'invalid_config')
      return { file, isRefused, bySchema: whole(file) !== null }
    })
    expect(verdicts.filter(({ isRefused, bySchema }) => isRefused !== bySchema)).to.deep.equal([])
    expect(verdicts.filter(({ isRefused }) => isRefused)).to.have.length.above(10)
  })

  it('is tested with every section', () => {
    const tried = new Set(files.flatMap((file) => Object.keys(file as object)))
    expect(
      [...fileSections].filter((name) => name !== '$schema' && name !== 'security' && !tried.has(name)),
    ).to.deep.equal([])
  })

  it('accepts the default file with an empty environment', async () => {
    const path = new URL('config/gateway.yaml', root).pathname
    const { file, faults, warnings } = await readConfigFile(path, {}, context)
    expect(faults).to.deep.equal([])
    expect(warnings).to.deep.equal([])
    expect(file?.providers.echo).to.deep.equal({ provider: 'echo' })
    const [first] = (await readFile(path, 'utf8')).split('\n')
    expect(first).to.equal('# yaml-language-server: $schema=./gateway.schema.json')
  })
})

describe('a setting that would not be enforced', () => {
  const refused: [path: string, file: unknown][] = [
    [
      '/policies/rate_limits/0/target',
      {
        policies: {
          rate_limits: [
            {
              conditions: [{ key: 'mcp_tool', value: '*' }],
              group_by: [{ key: 'mcp_tool' }],
              type: 'requests',
              unit: 'rpm',
              value: 1,
              target: 'mcp_tools',
            },
          ],
        },
      },
    ],
  ]
  for (const [path, file] of refused) {
    it(`stops the start: ${path}`, () => {
      const { faults } = checkConfigText(JSON.stringify(file), {}, { context })
      expect(faults.map(({ param, code }) => `${param} ${code}`)).to.deep.equal([`${path} not_enforced`])
    })
  }

  it('only causes a warning for mail with links to the listening address', () => {
    const email = 'email:\n  smtp_url: smtp://127.0.0.1\n  from: a@b.example\n'
    const { file, warnings } = checkConfigText(email, {}, { context })
    expect(file).not.to.equal(null)
    expect(warnings.map(({ line, param }) => `${line} ${param}`)).to.deep.equal(['1 /email'])
    const complete = checkConfigText(`${email}public_url: https://gateway.example\n`, {}, { context })
    expect(complete.warnings).to.deep.equal([])
  })
})
