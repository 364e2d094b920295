/** A counter that costs a request one look into a map: what was counted is handed to Prometheus' own when it is asked for. */
import { Counter, type Registry } from 'prom-client'

export interface BatchedCounter<Label extends string> {
  inc(labels: Readonly<Record<Label, string | number>>, value?: number): void
}

export interface BatchedCounterOptions<Label extends string> {
  name: string
  help: string
  labelNames: readonly Label[]
  registers: Registry[]
}

interface Row<Label extends string> {
  labels: Record<Label, string>
  /** Since it was last handed over. */
  count: number
}

export function createBatchedCounter<Label extends string>(
  options: BatchedCounterOptions<Label>,
): BatchedCounter<Label> {
  const rows = new Map<string, Row<Label>>()
  const { labelNames } = options
  new Counter({
    ...options,
    collect() {
      for (const row of rows.values()) {
        this.inc(row.labels, row.count)
        row.count = 0
      }
    },
  })

  function open(key: string, labels: Readonly<Record<Label, string | number>>): Row<Label> {
    const entries = labelNames.map((name) => [name, String(labels[name])])
    const row = { labels: Object.fromEntries(entries) as Record<Label, string>, count: 0 }
    rows.set(key, row)
    return row
  }

  return {
    inc(labels, value = 1) {
      let key = ''
      for (const name of labelNames) key += `${labels[name]}\n`
      const row = rows.get(key) ?? open(key, labels)
      row.count += value
    },
  }
}
