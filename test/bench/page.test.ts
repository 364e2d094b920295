import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readFigures, record, worseThan } from './figures.ts'
import { renderPage } from './page.ts'
import { ROOT } from './paths.ts'
import { renderPlot } from './plot.ts'
import { makeRow } from './rows.ts'

const machine = {
  date: '2026-01-02T03:04:05.000Z',
  cpu: 'CPU',
  cores: [0, 1],
  memoryGb: 8,
  node: 'v20.0.0',
  system: 'linux 6',
  pins: null,
}

const chat = (gateway: number) =>
  makeRow({
    scenario: 'chat',
    figure: 'rate',
    unit: 'req/s',
    values: { relay: 1000, gateway },
    ratioTo: { relay: 0.5 },
  })
const latency = (gateway: number) =>
  makeRow({
    scenario: 'chat',
    figure: 'p99',
    unit: 'ms',
    values: { relay: 1, gateway },
    ratioAtMost: { relay: 2 },
  })

describe('bench: recorded figures', () => {
  it('produce the committed docs/performance.md and its plots', () => {
    for (const [path, text] of renderPage(readFigures()))
      expect(
        readFileSync(`${ROOT}docs/${path}`, 'utf8') === text,
        `${path}: npm run bench -- --page`,
      ).to.equal(true)
  })

  it('replace those of the same scenario, and keep the others', () => {
    const measured = { machine, rows: [chat(400)], series: [], notes: [] }
    const first = record({ scenarios: {} }, 'chat', measured)
    const both = record(first, 'other', { ...measured, rows: [] })
    const again = record(both, 'chat', { ...measured, rows: [chat(500)] })
    expect(Object.keys(again.scenarios)).to.deep.equal(['chat', 'other'])
    expect(again.scenarios.chat?.rows[0]?.ratios[0]?.value).to.equal(0.5)
  })

  it('list results that are worse by more than a fifth, for rates and for times', () => {
    const rows = [chat(500), latency(1)]
    const figures = record({ scenarios: {} }, 'chat', { machine, rows, series: [], notes: [] })
    expect(worseThan(figures, [chat(450), latency(1.1)])).to.deep.equal([])
    expect(worseThan(figures, [chat(300)])).to.deep.equal([
      'chat, rate: 0.3 × relay, recorded were 0.5 (67 % worse)',
    ])
    expect(worseThan(figures, [latency(1.5)])).to.have.length(1)
    expect(worseThan(figures, [{ ...chat(1), figure: 'new' }])).to.deep.equal([])
  })
})

describe('bench: a plot', () => {
  const series = {
    scenario: 'chat',
    name: 'rate',
    title: 'Rate <by> connections',
    x: { title: 'connections', scale: 'log' },
    y: { title: 'req/s' },
    lines: {
      relay: [
        [1, 10],
        [100, 1000],
      ],
    },
  } as const

  it('places points between the axes and labels each line', () => {
    const svg = renderPlot(series)
    expect(svg).to.contain('M64 ').and.to.contain('>relay</text>')
    expect(svg).to.contain('Rate &lt;by> connections').and.not.to.contain('<by>')
  })

  it('can show a single point', () => {
    expect(renderPlot({ ...series, lines: { gateway: [[5, 5]] } })).not.to.contain('NaN')
  })
})
