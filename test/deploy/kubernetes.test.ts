/** The Kubernetes file and the Helm chart: their objects match Kubernetes' published types and the gateway. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { checkConfigText, createFileContext } from '#config-file/read-file'
import { createMetrics } from '#core/observability/metrics'
import { renderChart } from './render-chart.ts'

/** This file is `test/dist/deploy/kubernetes.test.js`. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const chart = join(root, 'deploy/helm/gateway')
const run = promisify(execFile)

interface Probe {
  httpGet?: { path: string; port: string; scheme: string }
  periodSeconds?: number
  failureThreshold?: number
}
interface Container {
  image: string
  ports: { name: string; containerPort: number }[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[]
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
}
interface Resource {
  apiVersion: string
  kind: string
  metadata: { name: string }
  data: Record<string, string>
  spec: {
    replicas?: number
    selector: { matchLabels: Record<string, string> }
    template: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> }
      spec: {
        terminationGracePeriodSeconds: number
        containers: [Container]
        volumes: { name: string; secret?: { secretName: string } }[]
      }
    }
    metrics: { pods: { metric: { name: string } } }[]
    ingress: { from?: unknown }[]
    egress: unknown[]
    minAvailable?: number
  }
}

/** The folder of `kubernetes-types` with the interface of a kind. */
const folders: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'autoscaling/v2': 'autoscaling/v2',
}

/**
 * The problems of resources by the types that Kubernetes publishes, unknown members included: as literals in a source,
 * compiled.
 */
async function problemsOf(resources: readonly Resource[]): Promise<string> {
  const folder = await mkdtemp(join(root, 'test/dist/kubernetes-'))
  try {
    const lines = resources.map((resource, index) => {
      const place = folders[resource.apiVersion]
      if (place === undefined) throw new Error(`no types of ${resource.apiVersion}`)
      const type = `import('kubernetes-types/${place}.d.ts').${resource.kind}`
      return `export const resource${index}: ${type} = ${JSON.stringify(resource)}`
    })
    const source = join(folder, 'resources.ts')
    await writeFile(source, lines.join('\n'))
    const words = [
      '--noEmit',
      '--strict',
      '--ignoreConfig',
      '--pretty',
      'false',
      '--types',
      '',
      '--skipLibCheck',
    ]
    const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    return await run(process.execPath, [tsc, ...words, ...resolution, source]).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string; message: string }) => error.stdout || error.message,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function render(values: Record<string, unknown> = {}): Promise<Resource[]> {
  return [...(await renderChart(chart, { name: 'llm', values })).values()] as Resource[]
}
const ofKind = (resources: readonly Resource[], kind: string): Resource => {
  const found = resources.find((resource) => resource.kind === kind)
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}
const podOf = (resources: readonly Resource[]) => ofKind(resources, 'Deployment').spec.template.spec
const containerOf = (resources: readonly Resource[]) => podOf(resources).containers[0]
const probesOf = ({ startupProbe, livenessProbe, readinessProbe }: Container) => [
  startupProbe,
  livenessProbe,
  readinessProbe,
]
const sources = { circuitStates: () => ({}), areLimitsUnshared: () => false, waitingRequests: () => 0 }
const everything = {
  autoscaling: { enabled: true },
  tlsSecretName: 'gateway-tls',
  image: { digest: 'sha256:0a', pullSecrets: [{ name: 'registry' }] },
  config: {
    server: {
      port: 9443,
      metrics_port: 9090,
      tls: { cert: '/etc/gateway-tls/tls.crt', key: '/etc/gateway-tls/tls.key' },
    },
  },
  podAnnotations: { team: 'platform' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'llm', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  networkPolicy: { from: [{ namespaceSelector: { matchLabels: { team: 'platform' } } }] },
}

describe('the files for Kubernetes', () => {
  let plain: Resource[]
  before(async () => {
    const text = await readFile(join(root, 'deploy/kubernetes/gateway.yaml'), 'utf8')
    plain = parseAllDocuments(text).map((document) => document.toJS() as Resource)
  })

  it('are of the types that Kubernetes publishes, with all values of the chart set and with none', async () => {
    const resources = [...plain, ...(await render()), ...(await render(everything))]
    expect(resources).to.have.length(6 + 5 + 6)
    expect(await problemsOf(resources)).to.equal('')
    const mistaken = structuredClone(ofKind(plain, 'Deployment'))
    Object.assign(mistaken.spec.template.spec, { terminationGracePeriod: 45 })
    expect(await problemsOf([mistaken])).to.include('terminationGracePeriod')
  })

  it('have probes that follow port and TLS', async () => {
    for (const [resources, scheme, port] of [
      [plain, 'HTTP', 8787],
      [await render(), 'HTTP', 8787],
      [await render(everything), 'HTTPS', 9443],
    ] as const) {
      const config = parse(ofKind(resources, 'ConfigMap').data['gateway.yaml'] ?? '') as {
        server: { tls?: object }
      }
      expect(config.server.tls === undefined).to.equal(scheme === 'HTTP')
      const container = containerOf(resources)
      expect(container.env).to.deep.include({ name: 'GATEWAY_CONFIG', value: '/etc/gateway/gateway.yaml' })
      expect(container.ports[0]).to.deep.equal({ name: 'http', containerPort: port })
      expect(container.env).to.deep.include({ name: 'GATEWAY_PORT', value: String(port) })
      expect(probesOf(container).map(({ httpGet }) => httpGet)).to.deep.equal(
        ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http', scheme })),
      )
    }
  })

  it('give a pod longer than its delay and grace period, and notice first that it is not ready', async () => {
    const custom = { config: { server: { drain_delay_ms: 20_000, shutdown_grace_ms: 120_500 } } }
    for (const resources of [plain, await render(), await render(custom)]) {
      const text = ofKind(resources, 'ConfigMap').data['gateway.yaml'] ?? ''
      const { server } = parse(text) as { server: { drain_delay_ms: number; shutdown_grace_ms?: number } }
      const stopMs = server.drain_delay_ms + (server.shutdown_grace_ms ?? 30_000)
      expect(podOf(resources).terminationGracePeriodSeconds * 1000).to.be.above(stopMs)
      const { periodSeconds = 10, failureThreshold = 3 } = containerOf(resources).readinessProbe
      expect(periodSeconds * failureThreshold * 1000).to.be.below(server.drain_delay_ms)
    }
  })

  it('scale on a metric that the gateway has', async () => {
    const text = await createMetrics(sources).registry.metrics()
    for (const resources of [plain, await render(everything)]) {
      const [metric] = ofKind(resources, 'HorizontalPodAutoscaler').spec.metrics
      expect(text).to.include(`# TYPE ${metric?.pods.metric.name} gauge`)
    }
    expect(ofKind(await render(everything), 'Deployment').spec.replicas).to.equal(undefined)
    expect(ofKind(await render(), 'Deployment').spec.replicas).to.equal(2)
  })

  it('refer to secrets, and contain none', async () => {
    for (const [resources, secret] of [
      [plain, 'gateway-secrets'],
      [await render({ secretName: 'mine' }), 'mine'],
    ] as const) {
      const keys = containerOf(resources).env.flatMap(({ valueFrom }) =>
        valueFrom === undefined ? [] : [valueFrom.secretKeyRef],
      )
      expect(keys).to.deep.equal([
        { name: secret, key: 'GATEWAY_ENCRYPTION_KEY' },
        { name: secret, key: 'GATEWAY_ADMIN_KEY' },
      ])
      expect(resources.map(({ kind }) => kind)).not.to.include('Secret')
    }
    const { volumes } = podOf(await render(everything))
    expect(volumes).to.deep.include({ name: 'tls', secret: { secretName: 'gateway-tls' } })
  })

  it('select the pods of the deployment', async () => {
    for (const resources of [plain, await render(everything)]) {
      const { selector, template } = ofKind(resources, 'Deployment').spec
      expect(template.metadata.labels).to.deep.equal(selector.matchLabels)
      expect(ofKind(resources, 'Service').spec.selector).to.deep.equal(selector.matchLabels)
      expect(ofKind(resources, 'PodDisruptionBudget').spec.selector).to.deep.equal(selector)
      const { podSelector } = ofKind(resources, 'NetworkPolicy').spec as unknown as { podSelector: object }
      expect(podSelector).to.deep.equal(selector)
    }
  })

  it('of the chart contain a config file that the gateway accepts, whose change replaces the pods', async () => {
    const rendered = [await render(), await render(everything)]
    for (const resources of rendered) {
      const text = ofKind(resources, 'ConfigMap').data['gateway.yaml'] ?? ''
      expect(checkConfigText(text, {}, { context: createFileContext(['echo']) }).faults, text).to.deep.equal(
        [],
      )
    }
    const sums = rendered.map(
      (resources) => ofKind(resources, 'Deployment').spec.template.metadata.annotations['checksum/config'],
    )
    expect(new Set(sums)).to.have.property('size', 2)
  })

  it('of the chart leave out what is disabled, and pin an image by its digest', async () => {
    const values = { podDisruptionBudget: { enabled: false }, networkPolicy: { enabled: false } }
    const kinds = (await render(values)).map(({ kind }) => kind)
    expect(kinds).to.have.members(['ConfigMap', 'Deployment', 'Service'])
    expect(containerOf(await render()).image).to.match(/^gateway:\d+\.\d+\.\d+/)
    expect(containerOf(await render({ image: { tag: '9' } })).image).to.equal('gateway:9')
    expect(containerOf(await render(everything)).image).to.equal('gateway@sha256:0a')
  })

  it("of the chart have its version, which is the gateway's", async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const { appVersion } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as { appVersion: string }
    expect(appVersion).to.equal(version)
  })
})
