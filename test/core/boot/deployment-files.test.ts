/** Replicas that share a store share its keys: their deployment files refuse to start without them. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'

/** This file is `test/dist/core/boot/deployment-files.test.js`. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (name: string) => readFile(root + name, 'utf8')
const sharedKeys = ['GATEWAY_ENCRYPTION_KEY', 'GATEWAY_ADMIN_KEY']

interface Compose {
  services: Record<string, { environment?: Record<string, string> }>
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
})
