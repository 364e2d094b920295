/** `docs/performance.md` and its plots, of the recorded figures alone: `npm run bench -- --page` writes them. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readBudgets } from '../budgets/budgets.ts'
import { renderBudgets } from '../budgets/page.ts'
import type { Figures, RecordedScenario } from './figures.ts'
import { ROOT } from './paths.ts'
import { renderPlot } from './plot.ts'
import { LEGEND, renderTable } from './report.ts'
import { renderScale } from './scale-page.ts'
import { readSoak, renderSoak } from './soak-page.ts'

const INTRODUCTION = `# Performance

Measured by \`npm run bench\`, which starts everything itself: this gateway, a bare \`node:http\` relay, the npm package
\`@portkey-ai/gateway\` ("reference") and Koa take turns on one core, and the load generator and the mock provider run on
another. Read the ratios rather than the rates: rates differ from machine to machine and from hour to hour. "disturbed"
marks rows during which other processes took over a tenth of a core in every round.

- \`npm run bench -- --only chat,streamed --record\` measures scenarios and records them in
  [figures.json](performance/figures.json), from which this page is made.
- \`npm run bench -- --quick\` takes a few minutes and compares its ratios with the recorded ones; run it before a change to the
  path of a request lands.
- [Notes](performance-notes.md): what helped, what did not, and what falls short and why.
- [Sizing](#sizing): the machines for 1,000, 10,000 and 100,000 requests a second.

${LEGEND}
`

/** Texts by path below `docs`. */
export function renderPage(figures: Figures): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const sections = Object.entries(figures.scenarios).map(([name, scenario]) => {
    for (const series of scenario.series) files.set(`performance/${series.name}.svg`, renderPlot(series))
    return renderScenario(name, scenario)
  })
  files.set(
    'performance.md',
    [
      INTRODUCTION,
      ...renderBudgets(readBudgets()),
      ...sections,
      ...renderScale(figures.scenarios.scale),
      ...renderSoak(readSoak()),
    ].join('\n'),
  )
  return files
}

function renderScenario(name: string, { date, machine, rows, series, notes }: RecordedScenario): string {
  return [
    `## ${name}`,
    '',
    `${date} · ${machine}`,
    '',
    renderTable(rows, { isShort: true }),
    '',
    ...series.flatMap((one) => [`![${one.title}](performance/${one.name}.svg)`, '']),
    ...notes.map((note) => `- ${note}`),
    ...(notes.length === 0 ? [] : ['']),
  ].join('\n')
}

/** Writes the page and its plots, and removes old plots. */
export function writePage(figures: Figures): void {
  const files = renderPage(figures)
  const folder = `${ROOT}docs/performance`
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder))
    if (file.endsWith('.svg') && !files.has(`performance/${file}`)) rmSync(`${folder}/${file}`)
  for (const [path, text] of files) writeFileSync(`${ROOT}docs/${path}`, text)
}
