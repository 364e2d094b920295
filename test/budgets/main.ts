/**
 * Measures the promises and kilobytes of a request and compares them with the budgets. `npm run budgets`; with `--
 * --record` the measured values become the budgets. `--only NAME` measures one scenario, `--functions` lists the
 * functions that create promises and kilobytes.
 */
import { parseArgs } from 'node:util'
import { stopAll } from '../bench/children.ts'
import { machineText, readFigures } from '../bench/figures.ts'
import { startLoad } from '../bench/load/load-client.ts'
import { describeMachine } from '../bench/machine.ts'
import { writePage } from '../bench/page.ts'
import { startServer } from '../bench/servers.ts'
import {
  type Budget,
  type Figures,
  grownFunctions,
  isExceeded,
  isLowered,
  type Measured,
  readBudgets,
  recorded,
  UNITS,
  type Unit,
  writeBudgets,
} from './budgets.ts'
import { measureServer, SCENARIOS } from './measure.ts'

const { values: options } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    functions: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const MOST_FUNCTIONS = 8
const ALL_FUNCTIONS = 60

async function main(): Promise<number> {
  const { only = null } = options
  if (only !== null && SCENARIOS.every(({ name }) => name !== only))
    throw new Error(`No scenario is named "${only}": ${SCENARIOS.map(({ name }) => name).join('; ')}`)
  const mock = await startServer('direct', { mockPort: 0, cores: null, workers: 1, label: 'direct' })
  const load = startLoad(null)
  const isExceededIn = comparison()
  const measured = { mockPort: mock.port, load, only }
  const gateway = await measureServer('gateway', {
    ...measured,
    hasFunctions: (name, perRequest) =>
      options.record || options.functions || UNITS.some((unit) => isExceededIn(name, unit, perRequest[unit])),
  })
  if (options.record)
    record(await measureServer('relay', { ...measured, hasFunctions: () => false }), gateway)
  return compare(gateway)
}

/** Whether a figure exceeds its budget; none does on a Node with another version of V8. */
function comparison(): (scenario: string, unit: Unit, perRequest: number) => boolean {
  const { node, machine, scenarios } = readBudgets()
  const isSameMachine = machine === machineText(describeMachine(new Date()))
  return (scenario, unit, perRequest) => {
    const { allowed = Number.POSITIVE_INFINITY } = scenarios[scenario]?.[unit] ?? {}
    return node === majorVersion() && isExceeded(perRequest, allowed, { unit, isSameMachine })
  }
}

function record(relay: Record<string, Measured>, gateway: Record<string, Measured>): void {
  const machine = describeMachine(new Date())
  const head = { date: machine.date.slice(0, 10), machine: machineText(machine), node: majorVersion() }
  writeBudgets(recorded(readBudgets(), head, { relay, gateway }))
  writePage(readFigures())
}

/** Prints each figure; returns how many exceed their budget. */
function compare(gateway: Record<string, Measured>): number {
  const budgets = readBudgets()
  const isExceededIn = comparison()
  if (budgets.node !== majorVersion())
    console.log(
      `The budgets are those of Node ${budgets.node}: with ${process.version} none can be exceeded.`,
    )
  let failing = 0
  let passing = 0
  for (const [name, scenario] of Object.entries(budgets.scenarios))
    for (const unit of UNITS) {
      const figures = gateway[name]?.[unit]
      if (figures === undefined) continue // With --only.
      const isOver = isExceededIn(name, unit, figures.perRequest)
      if (isOver) failing += 1
      else passing += 1
      console.log(`${isOver ? 'FAIL' : 'ok  '} ${name}: ${describe(figures, scenario[unit])} ${unit}`)
      if (isOver || options.functions) printGrowth(figures, scenario[unit])
    }
  console.log(`  ${passing} passing\n  ${failing} failing`)
  return failing
}

function describe({ perRequest }: Figures, { allowed, goal }: Budget): string {
  const hint = isLowered(perRequest, allowed) ? '; record the lower value with --record' : ''
  return `${perRequest.toFixed(1)} (budget ${allowed}, goal ${goal}${hint})`
}

function printGrowth({ functions }: Figures, budget: Budget): void {
  const before = options.functions ? {} : budget.functions
  for (const { name, before: then, now } of grownFunctions(
    before,
    functions,
    options.functions ? ALL_FUNCTIONS : MOST_FUNCTIONS,
  ))
    console.log(`       ${now.toFixed(2)}, was ${then.toFixed(2)}: ${name}`)
}

/** The first number of Node's version, which determines V8's. */
const majorVersion = (): string => process.versions.node.split('.')[0] ?? ''

async function end(status: number): Promise<never> {
  await stopAll()
  process.exit(status)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130))

try {
  await end((await main()) === 0 ? 0 : 1)
} catch (error) {
  console.error(error)
  await end(1)
}
