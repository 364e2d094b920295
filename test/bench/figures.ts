/**
 * The recorded figures: the results of each scenario in its last full run. `docs/performance.md` is generated from
 * them, and a quick run is compared with their ratios.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'node:util'
import type { Machine } from './machine.ts'
import { ROOT } from './paths.ts'
import type { Row } from './rows.ts'
import type { Series } from './series.ts'

export interface Figures {
  scenarios: Readonly<Record<string, RecordedScenario>>
}

export interface RecordedScenario {
  /** ISO 8601. */
  date: string
  /** Processor, cores, memory, node and system. */
  machine: string
  rows: readonly Row[]
  series: readonly Series[]
  /** Notes about the runs for readers. */
  notes: readonly string[]
}

const FIGURES_FILE = `${ROOT}docs/performance/figures.json`

export const readFigures = (): Figures => JSON.parse(readFileSync(FIGURES_FILE, 'utf8')) as Figures

export function writeFigures(figures: Figures): void {
  writeFileSync(FIGURES_FILE, `${JSON.stringify(figures, null, 1)}\n`)
}

export interface Measured {
  machine: Machine
  rows: readonly Row[]
  series: readonly Series[]
  notes: readonly string[]
}

/** The figures with those of the scenarios that were measured, in the order in which they first came. */
export function record(figures: Figures, scenario: string, measured: Measured): Figures {
  const { machine, rows, series, notes } = measured
  const recorded: RecordedScenario = {
    date: machine.date.slice(0, 10),
    machine: machineText(machine),
    rows: rows.map((row) => ({
      ...row,
      values: mapValues(row.values, short),
      ratios: row.ratios.map((ratio) => ({ ...ratio, value: short(ratio.value) })),
    })),
    series: series.map((one) => ({
      ...one,
      lines: mapValues(one.lines, (points) => points.map(([x, y]) => [short(x), short(y)] as const)),
    })),
    notes,
  }
  return { scenarios: { ...figures.scenarios, [scenario]: recorded } }
}

export function machineText({ cpu, cores, memoryGb, node, system }: Machine): string {
  return `${cpu}, ${cores.length} cores, ${memoryGb} GB · Node ${node} · ${system}`
}

/** More than the difference between two runs of one build. */
const TOLERANCE = 0.2

/**
 * One sentence per ratio that is worse than the recorded one by more than a fifth. Ratios only: rates on different
 * machines, or at different times, cannot be compared.
 */
export function worseThan(figures: Figures, rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const known = figures.scenarios[row.scenario]?.rows.find(({ figure }) => figure === row.figure)
    return row.ratios.flatMap(({ to, value }) => {
      const before = known?.ratios.find((ratio) => ratio.to === to)?.value
      if (before === undefined || !Number.isFinite(before) || !Number.isFinite(value)) return []
      const isRate = row.unit.endsWith('/s')
      const loss = isRate ? before / value - 1 : value / before - 1
      if (loss <= TOLERANCE) return []
      const [now, then] = [value, before].map((ratio) => Number(ratio.toPrecision(3)))
      return format(
        '%s, %s: %d × %s, recorded were %d (%d %% worse)',
        ...[row.scenario, row.figure, now, to, then, Math.round(loss * 100)],
      )
    })
  })
}

const short = (value: number): number => Number(value.toPrecision(4))

function mapValues<From, To>(
  from: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]))
}
