/** A plugin under development: code changes apply without a restart. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

const main = `
import { forbidden } from './lib/word.js'
export default { name: 'mine', title: 'Mine', checks: [{
  id: 'word', title: 't', description: 'd', kind: 'guardrail', phases: ['before'],
  parameters: { type: 'object', additionalProperties: false, properties: {} },
  prepare: () => ({ run: (input) => ({ verdict: !input.text.includes(forbidden) }) }),
}] }`

const guard = { 'mine.word': {}, deny: true }
const configOf = (directory: string) => ({
  providers: { echo: { provider: 'echo' } },
  configs: { main: { provider: '@echo', input_guardrails: [guard] } },
  plugins: { packages: [directory] },
})
const wordModule = (word: string) => `export const forbidden = '${word}'`

describe('a package named by its path', () => {
  const packages = packageDirectory()
  let directory = ''
  let gateway: TestGateway
  const writeWord = (text: string) => writeFile(join(directory, 'lib', 'word.js'), text)

  before(async () => {
    directory = await packages.write({ name: 'mine', kind: 'guardrail', source: main })
    await mkdir(join(directory, 'lib'))
    await writeWord(wordModule('alpha'))
    gateway = await startGateway(configOf(directory))
  })
  after(() => gateway.stop())

  const statusOf = async (text: string, config = 'main') =>
    (await gateway.post('/v1/chat/completions', chat(text), { 'x-gateway-config': config })).status
  const reloads = () => gateway.logs.filter(({ msg }) => msg === 'config file reloaded').length
  const hasLogged = (message: string) => gateway.logs.some(({ msg }) => msg === message)
  /** Changes the package, and waits until the gateway has reloaded it. */
  async function change(act: () => Promise<unknown>): Promise<void> {
    const before = reloads()
    await act()
    await until('the reload', () => reloads() > before)
  }

  it('is reloaded when a module deep in it changes', async () => {
    expect([await statusOf('alpha'), await statusOf('beta')]).to.deep.equal([446, 200])
    await change(() => writeWord(wordModule('beta')))
    expect(gateway.logs.find(({ msg }) => msg === 'packages reloaded')).to.deep.include({
      packages: ['mine'],
    })
    expect([await statusOf('alpha'), await statusOf('beta')]).to.deep.equal([200, 446])
  })

  it('is reloaded for inline configs, too', async () => {
    const inline = JSON.stringify({ provider: '@echo', input_guardrails: [guard] })
    expect([await statusOf('beta', inline), await statusOf('gamma', inline)]).to.deep.equal([446, 200])
    await change(() => writeWord(wordModule('gamma')))
    expect([await statusOf('beta', inline), await statusOf('gamma', inline)]).to.deep.equal([200, 446])
  })

  it('keeps its previous version running, and the error is reported, when the new one is broken', async () => {
    await writeWord('export const forbidden =')
    await until('the report', () => hasLogged('a package has errors; nothing was changed'))
    expect([await statusOf('alpha'), await statusOf('gamma')]).to.deep.equal([200, 446])
  })

  it('is reloaded after each save that writes a new file and renames it, as editors and bundlers do', async () => {
    for (const word of ['delta', 'epsilon', 'zeta']) {
      await change(async () => {
        await writeFile(join(directory, 'word.tmp'), wordModule(word))
        await rename(join(directory, 'word.tmp'), join(directory, 'lib', 'word.js'))
      })
      expect(await statusOf(word), word).to.equal(446)
    }
  })

  it('is reloaded each time its build output is deleted and written again', async () => {
    for (const word of ['eta', 'theta', 'iota']) {
      await change(async () => {
        await rm(join(directory, 'lib'), { recursive: true })
        await mkdir(join(directory, 'lib'))
        await writeWord(wordModule(word))
      })
      expect(await statusOf(word), word).to.equal(446)
    }
  })

  it('is not reloaded when its dependencies or its sources change', async () => {
    const before = reloads()
    await mkdir(join(directory, 'node_modules', 'other'), { recursive: true })
    await writeFile(join(directory, 'node_modules', 'other', 'index.js'), '')
    await writeFile(join(directory, 'word.ts'), '')
    await mkdir(join(directory, '.cache'))
    await writeFile(join(directory, '.cache', 'index.js'), '')
    await change(() => writeWord(wordModule('kappa')))
    expect(reloads()).to.equal(before + 1)
  })
})

describe('a package under development, with two workers', () => {
  const packages = packageDirectory()
  let directory = ''
  let folder: Folder
  let gateway: GatewayProcess
  let url = ''
  const key = 'reload-admin-key-0123456789'

  before(async () => {
    directory = await packages.write({ name: 'mine', kind: 'guardrail', source: main })
    await mkdir(join(directory, 'lib'))
    await writeFile(join(directory, 'lib', 'word.js'), wordModule('alpha'))
    folder = await makeFolder(configOf(directory))
    gateway = runGateway(folder, ['--port', '0', '--workers', '2'], { GATEWAY_ADMIN_KEY: key })
    url = await listening(gateway)
    await until('both serve', () => gateway.logs().filter(({ msg }) => msg === 'listening').length === 2)
  })
  after(() => discard(gateway, folder))

  /** Uses separate connections, which are distributed over the workers. */
  const statusesOf = (text: string) =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            connection: 'close',
            'x-gateway-api-key': key,
            'x-gateway-config': 'main',
          },
          body: JSON.stringify(chat(text)),
        })
        await response.arrayBuffer()
        return response.status
      }),
    )

  it('is reloaded in both workers', async () => {
    expect(await statusesOf('alpha')).to.deep.equal([446, 446, 446, 446])
    for (const word of ['beta', 'gamma']) {
      await writeFile(join(directory, 'lib', 'word.js'), wordModule(word))
      await until('every worker knows it', async () =>
        (await statusesOf(word)).every((status) => status === 446),
      )
    }
    expect(await statusesOf('alpha')).to.deep.equal([200, 200, 200, 200])
  })
})
