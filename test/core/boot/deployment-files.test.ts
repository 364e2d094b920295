/** Replicas that share a store share its keys: their deployment files refuse to start without them. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { checkConfigText, createFileContext } from '#config-file/read-file'
import { readDockerfile } from '../../release/dockerfile.ts'

/** This file is `test/dist/core/boot/deployment-files.test.js`. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (name: string) => readFile(root + name, 'utf8')
const sharedKeys = ['GATEWAY_ENCRYPTION_KEY', 'GATEWAY_ADMIN_KEY']

interface Compose {
  services: Record<
    string,
    { environment?: Record<string, string>; image?: string; build?: { args: { NODE_IMAGE: string | null } } }
  >
}
interface Deployment {
  kind: string
  spec: { template: { spec: { containers: { env: { name: string; valueFrom: unknown }[] }[] } } }
}

describe('deployment files', () => {
  it('of the fleet for compose require the keys that all replicas share', async () => {
    const { services } = parse(await read('compose.fleet.yaml'), { merge: true }) as Compose
    const replicas = Object.entries(services).filter(([name]) => name.startsWith('replica-'))
    expect(replicas).to.have.length(2)
    for (const [replica, { environment = {} }] of replicas)
      for (const name of sharedKeys)
        expect(environment[name], `${replica}: ${name}`).to.match(new RegExp(`^\\$\\{${name}:\\?.+\\}$`))
  })

  it('of one gateway for compose need no variable, which compose would require for every service', async () => {
    expect(await read('compose.yaml')).not.to.match(/\$\{\w+:\?/)
  })

  it('for Kubernetes require the keys that all replicas share', async () => {
    const documents = parseAllDocuments(await read('deploy/kubernetes/gateway.yaml'))
    const deployment = documents
      .map((document) => document.toJS() as Deployment)
      .find(({ kind }) => kind === 'Deployment')
    const env = deployment?.spec.template.spec.containers[0]?.env ?? []
    expect(env).to.deep.include.members(
      sharedKeys.map((key) => ({ name: key, valueFrom: { secretKeyRef: { name: 'gateway-secrets', key } } })),
    )
  })

  it('build every stage of the image from one base, pinned by its digest, which one argument replaces', async () => {
    const text = await read('Dockerfile')
    const bases = (build?: Record<string, string>) =>
      new Set(readDockerfile(text, build).map(({ base }) => base))
    expect([...bases()].join()).to.match(/^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/)
    const other = `node:24-bookworm-slim@sha256:${'0'.repeat(64)}`
    expect([...bases({ NODE_IMAGE: other })]).to.deep.equal([other])
  })

  it('for compose pin every image by its digest, and take another one from a variable', async () => {
    for (const name of ['compose.yaml', 'compose.fleet.yaml']) {
      const { services } = parse(await read(name), { merge: true }) as Compose
      for (const [service, { image, build }] of Object.entries(services)) {
        const what = `${name}: ${service}`
        // Without a value, compose passes the variable on only if it is set.
        if (build !== undefined) expect(build.args, what).to.deep.equal({ NODE_IMAGE: null })
        else expect(image, what).to.match(/^\$\{[A-Z]+_IMAGE:-[^}]+@sha256:[0-9a-f]{64}\}$/)
      }
    }
  })

  const configMapData = async (): Promise<Record<string, string>> => {
    const documents = parseAllDocuments(await read('deploy/kubernetes/gateway.yaml'))
    const maps = documents.map((document) => document.toJS() as { data?: Record<string, string> })
    return maps[0]?.data ?? {}
  }
  const settingsIn = (text: string) => (parse(text) as { server: { drain_delay_ms: number } }).server

  it('set the drain delay, in the config file that the health check reads', async () => {
    for (const [name, delayMs] of [
      ['compose.yaml', 0],
      ['compose.fleet.yaml', 5000],
    ] as const) {
      const compose = parse(await read(name), { merge: true }) as Compose & {
        configs: { gateway: { content: string } }
        services: Record<string, { configs?: { source: string; target: string }[] }>
      }
      expect(settingsIn(compose.configs.gateway.content).drain_delay_ms, name).to.equal(delayMs)
      const gateways = Object.values(compose.services).filter(({ configs }) => configs !== undefined)
      expect(gateways, name).to.have.length(name === 'compose.yaml' ? 1 : 2)
      for (const { environment, configs } of gateways) {
        const config = environment?.GATEWAY_CONFIG
        expect(configs, name).to.deep.equal([{ source: 'gateway', target: config }])
      }
    }
    expect(settingsIn((await configMapData())['gateway.yaml'] ?? '').drain_delay_ms).to.equal(5000)
  })

  it('contain config files that the gateway accepts', async () => {
    const data = await configMapData()
    const texts = [
      ...['compose.yaml', 'compose.fleet.yaml'].map(
        async (name) =>
          (parse(await read(name), { merge: true }) as { configs: { gateway: { content: string } } }).configs
            .gateway.content,
      ),
      data['gateway.yaml'] ?? '',
    ]
    for (const text of await Promise.all(texts)) {
      const { faults } = checkConfigText(text, {}, { context: createFileContext(['echo']) })
      expect(faults, text).to.deep.equal([])
    }
  })
})
