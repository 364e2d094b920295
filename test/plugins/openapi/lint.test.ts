/** The OpenAPI document passes Redocly's rules, and clients generated from it call every group of routes. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect } from 'chai'
import { build } from 'esbuild'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

const run = promisify(execFile)

interface Operation {
  path: string
  method: string
  tag: string
  operationId: string
  said: Record<string, unknown>
}

async function lint(document: object): Promise<string[]> {
  const config = await createConfig(await readFile(join(root, 'redocly.yaml'), 'utf8'))
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

function operationsOf(document: Record<string, unknown>): Operation[] {
  return Object.entries(objectOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).flatMap(([method, each]) => {
      const said = objectOf(each)
      if (said['x-alias-of'] !== undefined) return []
      const [tag = ''] = said.tags as string[]
      return [{ path, method, tag, operationId: String(said.operationId), said }]
    }),
  )
}

describe('the OpenAPI document for other tools', function () {
  this.timeout(300_000)
  let gateway: TestGateway
  let document: Record<string, unknown>
  let folder = ''
  before(async () => {
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    document = objectOf(await (await fetch(`${gateway.url}/v1/openapi.json`)).json())
    folder = await mkdtemp(join(tmpdir(), 'gateway-openapi-'))
  })
  after(async () => {
    await gateway.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('passes the rules of Redocly without a warning, examples included', async () => {
    const problems = await lint(document)
    expect(problems, problems.slice(0, 200).join('\n')).to.deep.equal([])
    const broken = structuredClone(document)
    const [chat] = operationsOf(broken).filter(({ operationId }) => operationId === 'chatComplete')
    const answer = objectOf(objectOf(objectOf(chat?.said.responses)['200']).content)
    objectOf(answer['application/json']).example = { id: 1 }
    const path = chat?.path ?? ''
    // The path alone: Redocly takes seconds for all of them.
    Object.assign(broken, { paths: { [path]: objectOf(broken.paths)[path] } })
    expect((await lint(broken)).join('\n')).to.include('no-invalid-media-type-examples')
  })

  it('has a schema for every answer and every event, and an example for answers in JSON', () => {
    const lacking = operationsOf(document).flatMap(({ operationId, said }) =>
      Object.entries(objectOf(said.responses)).flatMap(([status, response]) =>
        Object.entries(objectOf(objectOf(response).content ?? {}))
          .filter(([, media]) => objectOf(media).schema === undefined)
          .map(([type]) => `${operationId} ${status} ${type}`),
      ),
    )
    expect(lacking).to.deep.equal([])
    const untyped = operationsOf(document).filter(({ said }) => {
      const content = objectOf(objectOf(objectOf(said.responses)['200'] ?? {}).content ?? {})
      const schema = content['text/event-stream']
      return schema !== undefined && objectOf(objectOf(schema).schema).$ref === undefined
    })
    expect(untyped.map(({ operationId }) => operationId)).to.deep.equal([])
  })

  it('is enough for the types of openapi-typescript, which compile, with every operation by its id', async () => {
    const input = join(folder, 'for-types.json')
    const types = join(folder, 'types.ts')
    await writeFile(input, JSON.stringify(document))
    const { resolve } = createRequire(join(root, 'plugins/console/package.json'))
    const command = join(dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js')
    await run(process.execPath, [command, input, '--output', types], { cwd: folder })
    const ids = operationsOf(document).map(({ operationId }) => operationId)
    // A type that names every operation, and one that takes an answer apart.
    await writeFile(
      join(folder, 'uses.ts'),
      `import type { operations } from './types.ts'
type Named = ${ids.map((id) => `operations['${id}']`).join(' | ')}
export type Key = Named
type Ok = operations['chatComplete']['responses'][200]['content']['application/json']
export const choicesOf = (answer: Ok) => answer.choices.length
`,
    )
    const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', '']
    const modules = ['--module', 'nodenext', '--allowImportingTsExtensions', '--pretty', 'false']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const said = await run(process.execPath, [tsc, ...flags, ...modules, join(folder, 'uses.ts')]).then(
      ({ stdout }) => stdout,
      ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
    )
    expect(said).to.equal('')
  })

  it('is enough for a client of hey-api, which calls an operation of each group', async () => {
    const output = join(folder, 'client')
    await generateClient(document, folder, output)
    const bundle = join(folder, 'client.mjs')
    const entry = `export * from './sdk.gen'; export { client } from './client.gen'`
    await build({
      stdin: { contents: entry, resolveDir: output, loader: 'ts' },
      outfile: bundle,
      bundle: true,
      format: 'esm',
      logLevel: 'error',
    })
    const sdk = (await import(pathToFileURL(bundle).href)) as Record<string, Call> & {
      client: { setConfig(config: object): void }
    }
    sdk.client.setConfig({ baseUrl: gateway.url, headers: { authorization: `Bearer ${adminKey}` } })
    const all = operationsOf(document)
    const failed: string[] = []
    for (const tag of new Set(all.map((each) => each.tag))) {
      const operations = all.filter((each) => each.tag === tag)
      // Reading changes nothing; where a group has no list, an example that the gateway refuses still reached it.
      const chosen =
        operations.find(({ method, path }) => method === 'get' && !path.includes('{')) ??
        operations.find(({ method }) => method === 'post') ??
        operations[0]
      const call = sdk[chosen?.operationId ?? '']
      if (call === undefined) failed.push(`${tag}: no function for ${chosen?.operationId}`)
      else {
        const { response } = await call({ ...exampleCall(chosen), throwOnError: false })
        // 501: SCIM's /Me, which no identity provider needs.
        if (response.status === 405 || (response.status >= 500 && response.status !== 501))
          failed.push(`${tag}: ${response.status}`)
      }
    }
    expect(failed).to.deep.equal([])
  })
})

/** Uses hey-api's command, which needs a TypeScript with its former API: the console's package has one. */
async function generateClient(document: object, folder: string, output: string): Promise<void> {
  const input = join(folder, 'openapi.json')
  await writeFile(input, JSON.stringify(document))
  const { resolve } = createRequire(join(root, 'plugins/console/package.json'))
  const typescript = JSON.stringify(pathToFileURL(resolve('typescript')).href)
  const hook = `export const resolve = (name, context, next) =>
  name === 'typescript' ? { url: ${typescript}, shortCircuit: true } : next(name, context)`
  const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))})`
  const command = join(root, 'node_modules/@hey-api/openapi-ts/dist/run.mjs')
  const words = ['--input', input, '--output', output, '--client', '@hey-api/client-fetch', '--silent']
  await run(process.execPath, ['--import', dataUrl(register), command, ...words], { cwd: folder })
}

type Call = (options: object) => Promise<{ response: Response }>

function exampleCall(operation: Operation | undefined): object {
  const body = objectOf(objectOf(operation?.said.requestBody ?? {}).content ?? {})
  const { example } = objectOf(Object.values(body)[0] ?? {})
  const parameters = (operation?.said.parameters ?? []) as { in: string; name: string; example?: unknown }[]
  const valuesIn = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === place && each.example !== undefined)
        .map(({ name, example: value }) => [name, value]),
    )
  return {
    path: valuesIn('path'),
    query: valuesIn('query'),
    ...(example === undefined ? {} : { body: example }),
  }
}
