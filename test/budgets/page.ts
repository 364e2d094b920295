/** The budgets in `docs/performance.md`. */
import { type Budgets, UNITS, type Unit } from './budgets.ts'

const TITLES: Readonly<Record<Unit, string>> = {
  promises: 'Promises per request',
  kilobytes: 'Kilobytes allocated per request, without the bytes of buffers, which are outside the heap',
}

export const renderBudgets = (budgets: Budgets): string[] => [
  '## budgets',
  '',
  `${budgets.date} · ${budgets.machine}`,
  '',
  '`npm run budgets` counts promises (async_hooks) and what is allocated in the heap of V8 (used bytes and what each',
  'collection frees; three times 3,500 requests, of which the median counts) at 16 connections. It fails if a figure exceeds',
  'its budget, the value last recorded, by over 3 % (10 % for kilobytes on another machine), and then lists the functions that',
  'grew most: exactly for promises, from samples for kilobytes. `npm run budgets -- --record` records new budgets in',
  '[budgets.json](performance/budgets.json). The 50 chunks of a stream arrive in one packet, so that the number of reads is',
  'always the same.',
  '',
  ...UNITS.flatMap((unit) => [`${TITLES[unit]}:`, '', ...table(budgets, unit), '']),
]

function table({ scenarios }: Budgets, unit: Unit): string[] {
  const known = Object.entries(scenarios).filter(([, { [unit]: budget }]) => budget.allowed > 0)
  const rows = known.map(([name, { [unit]: budget }]) => {
    const { relay, allowed, goal } = budget
    return `| ${name} | ${relay.toFixed(1)} | ${allowed.toFixed(1)} | ${goal} | ${allowed <= goal ? 'yes' : '**no**'} |`
  })
  return [
    '| per request | relay | this gateway | goal | reached |',
    '| --- | ---: | ---: | ---: | --- |',
    ...rows,
  ]
}
