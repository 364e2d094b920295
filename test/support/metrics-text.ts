/** Reads Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */

const sample =
  /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (NaN|[+-]Inf|-?[\d.]+(?:e[+-]?\d+)?)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/g

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface MetricsRead {
  text: string
  /** Lines of no known form, metrics without HELP or TYPE. */
  faults: string[]
  /** The names of metrics, without the suffixes of histograms and summaries. */
  names: Set<string>
  /**
   * The number of series that the gateway itself creates. Those of the process grow with events in Node, such as a
   * first major collection.
   */
  series: number
  /** The sum of all series with these labels. */
  value(name: string, labels?: Record<string, string>): number
  /** The different values of a label. */
  values(name: string, label: string): string[]
}

export function readMetrics(text: string): MetricsRead {
  const faults: string[] = []
  const helped = new Set<string>()
  const typed = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, help] = /^# HELP (\S+) \S/.exec(line) ?? []
    const [, ofType, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (help !== undefined) helped.add(help)
    else if (ofType !== undefined && type !== undefined) typed.set(ofType, type)
    else if (line !== '') {
      const [, name, labels = '', value] = sample.exec(line) ?? []
      if (name === undefined) faults.push(line)
      else samples.push({ name, labels: labelsOf(labels), value: Number(value) })
    }
  }
  const baseOf = (name: string) => {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    return typed.get(base) === 'histogram' || typed.get(base) === 'summary' ? base : name
  }
  const names = new Set([...typed.keys(), ...samples.map(({ name }) => baseOf(name))])
  for (const name of names)
    if (!helped.has(name) || !typed.has(name)) faults.push(`${name} has no HELP or TYPE`)
  const withLabels = (name: string, labels: Record<string, string>) =>
    samples.filter(
      (each) =>
        each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
    )
  return {
    text,
    faults,
    names,
    series: samples.filter(({ name }) => name.startsWith('gateway_')).length,
    value: (name, labels = {}) => withLabels(name, labels).reduce((sum, { value }) => sum + value, 0),
    values: (name, key) => [...new Set(withLabels(name, {}).map(({ labels }) => labels[key] ?? ''))],
  }
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(label)].map(([, name = '', value = '']) => [name, value]))
