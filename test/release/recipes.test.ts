/** The recipes of CONTRIBUTING.md, followed in a copy of the tree: each touches few places, and works. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect } from 'chai'
import pino from 'pino'
import type { Gateway } from '#core/boot/open-gateway'
import { defaultWorkspaceId as workspace_id } from '#domain/index'
import { terminal } from '../core/cli/support.ts'
import { until } from '../support/until.ts'
import { applyRecipe, copyTree } from './changed-copy.ts'
import { recipes } from './recipes.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const adminKey = 'recipes-admin-key-0123456789'

/**
 * The files that each recipe touches. If a change makes a recipe touch more files, derive the new place from a
 * declaration; if it needs fewer, change the number here.
 */
const budgets: Readonly<Record<keyof typeof recipes, number>> = {
  'A setting of the config file': 1,
  'A setting that requests read': 1,
  'A resource of the management API': 3,
  'An endpoint': 3,
  'A provider': 1,
  'A check': 2,
  'A field of the request log': 2,
  'A page of the console': 3,
}

/** Code that reads the setting: it compiles only if the setting has the type that was declared. */
const readerOfSetting = `import type { LoadedSettings } from './load-settings.ts'

export const greetingOf = ({ file }: Pick<LoadedSettings, 'file'>): string => file.server.greeting.toUpperCase()
`

describe('the recipes of CONTRIBUTING.md', function () {
  this.timeout(600_000)
  let folder = ''
  let gateway: Gateway | null = null
  const touched: Record<string, string[]> = {}

  /** A module of the copy. */
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href)

  async function call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ) {
    const response = await fetch(`${gateway?.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

  /** The gateway's command in the copy. */
  async function command(...words: string[]) {
    const recording = terminal({ directory: folder })
    const { main } = await load('core/dist/cli/main.js')
    return { exitCode: (await main(words, recording)) as number, errors: recording.errors }
  }

  const written = (path: string) => readFile(join(folder, path), 'utf8')

  let documented: ReturnType<typeof command> | undefined
  /** The pages that the gateway writes, once for all tests. */
  async function page(path: string): Promise<string> {
    documented ??= command('docs')
    expect((await documented).exitCode).to.equal(0)
    return written(path)
  }

  before('copying, changing and compiling the tree, and starting its gateway', async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-recipes-'))
    await copyTree(root, folder)
    for (const [name, recipe] of Object.entries(recipes)) touched[name] = await applyRecipe(folder, recipe)
    await writeFile(join(folder, 'core/boot/greeting.ts'), readerOfSetting)
    const { compile } = await load('core/cli/bin/compile.js')
    const { packageFolders } = await load('core/cli/bin/freshness.js')
    expect(compile(packageFolders()), 'the copy compiles').to.equal(true)
    const { openGateway } = await load('core/dist/boot/open-gateway.js')
    await writeFile(join(folder, 'gateway.json'), JSON.stringify({ server: { region: 'north' } }))
    gateway = await openGateway({
      configPath: join(folder, 'gateway.json'),
      flags: { host: '127.0.0.1', port: 0 },
      environment: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_DATA_DIR: folder, GATEWAY_STORE_URL: 'memory:' },
      log: pino({ level: 'silent' }),
      logRequest: () => undefined,
      printKey: () => undefined,
    })
  })
  after(async () => {
    await gateway?.close()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  for (const [name, budget] of Object.entries(budgets)) {
    it(`"${name}" is a recipe there, and touches ${budget} file${budget === 1 ? '' : 's'}`, async () => {
      expect(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')).to.include(`\n**${name}.**\n`)
      expect(touched[name]).to.have.length(budget)
    })
  }

  it('make a setting that is typed, checked and documented', async () => {
    const { greetingOf } = await load('core/dist/boot/greeting.js')
    const { completeFile } = await load('core/config-file/dist/complete.js')
    expect(greetingOf({ file: completeFile({}) })).to.equal('HELLO')
    expect(greetingOf({ file: completeFile({ server: { greeting: 'good day' } }) })).to.equal('GOOD DAY')
    await writeFile(join(folder, 'wrong.json'), JSON.stringify({ server: { greeting: 5 } }))
    const { exitCode, errors } = await command('check', '--config', 'wrong.json')
    expect([exitCode, errors].join()).to.match(/^1,.*\/server\/greeting/s)
    expect((await command('schema')).exitCode).to.equal(0)
    expect(await written('config/gateway.schema.json')).to.include('What the gateway says first.')
    expect(await page('docs/configuration.md')).to.include('What the gateway says first.')
  })

  it('make a resource with routes, rights, an audit trail and a description', async () => {
    const made = await call('POST', '/v1/notices', { body: { workspace_id, name: 'Monday', text: 'closed' } })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    const refused = await call('POST', '/v1/notices', { body: { workspace_id, name: 'Monday', text: '' } })
    expect([refused.status, refused.body.error.param]).to.deep.equal([400, '/text'])
    const { id } = made.body
    expect((await call('PUT', `/v1/notices/${id}`, { body: { text: 'open' } })).status).to.equal(200)
    const listed = await call('GET', `/v1/notices?workspace_id=${workspace_id}`)
    expect(listed.body.data).to.have.length(1)
    expect(listed.body.data[0]).to.include({ id, object: 'notice', text: 'open' })
    const key = { name: 'reader', workspace_id, scopes: ['notices.list'] }
    const reader = await call('POST', '/v1/api-keys/workspace/service', { body: key })
    const asReader = { 'x-gateway-api-key': String(reader.body.key) }
    expect((await call('GET', '/v1/notices', { headers: asReader })).body.data).to.have.length(1)
    expect((await call('DELETE', `/v1/notices/${id}`, { headers: asReader })).status).to.equal(403)
    const audited = await call('GET', `/v1/audit-logs?resource_id=${id}`)
    const actions = audited.body.data.map(({ action }: { action: string }) => action)
    // The refused deletion is recorded as well.
    expect(actions).to.have.members(['create', 'update', 'delete'])
    const { body: description } = await call('GET', '/v1/openapi.json')
    expect(Object.keys(description.paths['/v1/notices/{id}'])).to.include.members(['get', 'put', 'delete'])
    expect((await call('DELETE', `/v1/notices/${id}`)).status).to.equal(200)
  })

  it('make an endpoint that is answered, logged and described, with a field of the log that has a setting', async () => {
    const answered = await call('POST', '/v1/poems', {
      body: { model: 'echo-1', subject: 'autumn' },
      headers: { 'x-gateway-provider': 'echo' },
    })
    expect(answered.status, JSON.stringify(answered.body)).to.equal(200)
    expect(answered.body.poem).to.include('autumn')
    let entry: Record<string, unknown> = {}
    await until('the entry of the log', async () => {
      const { body } = await call('GET', '/v1/logs?endpoint_type=createPoem')
      entry = body.data[0] ?? {}
      return body.data.length === 1
    })
    expect(entry).to.include({ endpoint_type: 'createPoem', region: 'north' })
    const { body: description } = await call('GET', '/v1/openapi.json')
    expect(description.paths['/v1/poems'].post.operationId).to.equal('createPoem')
    expect(JSON.stringify(description)).to.include('Where the gateway runs that answered.')
  })

  it('make a provider that the gateway lists', async () => {
    const { body } = await call('GET', '/v1/ai-providers?search=contoso')
    expect(body.data).to.have.length(1)
    expect(body.data[0]).to.deep.include({ id: 'contoso', name: 'Contoso', endpoints: ['chatComplete'] })
    expect(await page('providers/README.md')).to.include('https://contoso.example/docs')
  })

  it('make a check that runs, and refuses parameters that it does not have', async () => {
    const guarded = (parameters: object) => ({
      'x-gateway-config': JSON.stringify({
        provider: 'echo',
        input_guardrails: [{ deny: true, checks: [{ id: 'default.maxWords', parameters }] }],
      }),
    })
    const ask = (parameters: object) =>
      call('POST', '/v1/chat/completions', {
        body: { model: 'echo-1', messages: [{ role: 'user', content: 'four words of text' }] },
        headers: guarded(parameters),
      })
    expect((await ask({ max: 4 })).status).to.equal(200)
    expect((await ask({ max: 3 })).status).to.equal(446)
    expect((await ask({ most: 3 })).status).to.equal(400)
  })

  it('make a page of the console, whose calls have the types of the API', async () => {
    const { build } = await load('plugins/console/build.js')
    await build()
    const assets = join(folder, 'plugins/console/dist/assets')
    const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'))
    const page = scripts.find((name) => name.startsWith('notices-')) ?? ''
    expect(await readFile(join(assets, page), 'utf8')).to.include('What everyone should know')
    const first = scripts.find((name) => name.startsWith('main-')) ?? ''
    expect(await readFile(join(assets, first), 'utf8')).to.include(page)
  })
})
