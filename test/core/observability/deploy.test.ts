/** Dashboards and alert rules use only series and labels that `/metrics` provides. */
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { parse } from 'yaml'
import { createMetrics } from '#core/observability/metrics'

/** This file is `test/dist/core/observability/deploy.test.js`. */
const deploy = fileURLToPath(new URL('../../../../deploy', import.meta.url))
const rules = `${deploy}/prometheus/alerts.yaml`

interface Panel {
  title: string
  description: string
  targets: { expr: string }[]
}

/** Label names by metric. */
function known(): Map<string, readonly string[]> {
  const { registry } = createMetrics({
    circuitStates: () => ({}),
    areLimitsUnshared: () => false,
    waitingRequests: () => 0,
  })
  const found = new Map<string, readonly string[]>([['up', []]])
  for (const metric of registry.getMetricsAsArray()) {
    const { name } = metric
    const labels: string[] =
      'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : []
    const isHistogram = 'upperBounds' in metric
    const names = isHistogram ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    for (const each of names) found.set(each, isHistogram ? [...labels, 'le'] : labels)
  }
  return found
}

/** Labels that Prometheus adds to every series. */
const ofEverySeries = ['job', 'instance']
const selector = /\b((?:gateway|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g
const grouping = /\bby \(([^)]*)\)/g

/** Finds series and labels in an expression that do not exist. */
function faultsOf(expression: string, series: ReadonlyMap<string, readonly string[]>): string[] {
  const used = [...expression.matchAll(selector)].map(([, name = '', labels = '']) => ({ name, labels }))
  const faults = used.length === 0 ? [`no series in ${expression}`] : []
  const grouped = [...expression.matchAll(grouping)].flatMap(([, names = '']) => names.split(/,\s*/))
  for (const { name, labels } of used) {
    const has = series.get(name)
    if (has === undefined) {
      faults.push(`no metric ${name}`)
      continue
    }
    const asked = [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
    for (const label of [...asked, ...grouped])
      if (!has.includes(label) && !ofEverySeries.includes(label)) faults.push(`${name} has no label ${label}`)
  }
  return faults
}

describe('the tests of dashboards and alert rules', () => {
  it('find an error in a broken file', () => {
    const series = known()
    expect(faultsOf('rate(gateway_nothing_total[5m])', series)).to.deep.equal([
      'no metric gateway_nothing_total',
    ])
    expect(faultsOf('sum by (nobody) (gateway_circuits{stat="open"})', series)).to.deep.equal([
      'gateway_circuits has no label stat',
      'gateway_circuits has no label nobody',
    ])
  })

  for (const name of ['overview', 'providers', 'cost', 'limits']) {
    it(`find every series of the dashboard ${name} in the gateway`, async () => {
      const board = JSON.parse(await readFile(`${deploy}/grafana/${name}.json`, 'utf8'))
      const panels: Panel[] = board.panels
      const series = known()
      expect(board.uid).to.equal(`gateway-${name}`)
      for (const { title, description, targets } of panels) {
        expect(description, title).to.be.a('string').and.not.equal('')
        for (const { expr } of targets) expect(faultsOf(expr, series), `${title}: ${expr}`).to.deep.equal([])
      }
    })
  }

  it('cover every dashboard', async () => {
    expect((await readdir(`${deploy}/grafana`)).sort()).to.deep.equal([
      'cost.json',
      'limits.json',
      'overview.json',
      'providers.json',
    ])
  })

  it('find every metric of the gateway in a dashboard', async () => {
    const boards = await Promise.all(
      ['overview', 'providers', 'cost', 'limits'].map((name) =>
        readFile(`${deploy}/grafana/${name}.json`, 'utf8'),
      ),
    )
    const shown = boards.join('\n')
    const missing = [...known().keys()]
      .filter((name) => name.startsWith('gateway_') && !/_(sum|count)$/.test(name))
      .filter((name) => !shown.includes(name))
    expect(missing).to.deep.equal([])
  })

  it('find every series of the alert rules in the gateway', async () => {
    const series = known()
    const { groups } = parse(await readFile(rules, 'utf8'))
    for (const { alert, expr, annotations } of groups[0].rules) {
      expect(faultsOf(expr, series), alert).to.deep.equal([])
      expect(annotations, alert).to.have.all.keys('summary', 'description')
    }
  })

  it('are accepted by promtool as alert rules', function () {
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], {
      encoding: 'utf8',
    })
    if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
      process.stdout.write(
        '      promtool is not installed (Debian package prometheus): its check is left out\n',
      )
      this.skip()
    }
    expect(status, stdout + stderr).to.equal(0)
  })
})
