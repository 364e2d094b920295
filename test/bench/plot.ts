/** Draws series as SVG, readable on light and dark pages, without scripts. */
import type { Axis, Point, Series } from './series.ts'

const WIDTH = 640
const HEIGHT = 340
const LEFT = 64
const RIGHT = 120
const TOP = 36
const BOTTOM = 48

const STYLE = `text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.rule{stroke:#d0d7de}
.line{fill:none;stroke-width:2}.s0{stroke:#0969da}.s1{stroke:#8c959f}.s2{stroke:#bc4c00}.s3{stroke:#1a7f37}
.t0{fill:#0969da}.t1{fill:#6e7781}.t2{fill:#bc4c00}.t3{fill:#1a7f37}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.rule{stroke:#30363d}.t0{fill:#4493f8}.s0{stroke:#4493f8}}`

/** The SVG of a plot; the last point of each line carries the server's name. */
export function renderPlot({ title, x, y, lines }: Series): string {
  const points = Object.values(lines).flat()
  const across = scaleOf(
    x,
    points.map(([at]) => at),
    { from: LEFT, to: WIDTH - RIGHT },
  )
  const up = scaleOf(
    y,
    points.map(([, value]) => value),
    { from: HEIGHT - BOTTOM, to: TOP },
  )
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${STYLE}</style>`,
    text(LEFT, 20, { content: title, className: 'title' }),
    ...up.ticks.map((tick) => {
      const at = up.place(tick)
      return `<path class="rule" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/>${text(LEFT - 8, at + 4, { content: label(tick), className: '', anchor: 'end' })}`
    }),
    ...across.ticks.map((tick) =>
      text(across.place(tick), HEIGHT - BOTTOM + 18, {
        content: label(tick),
        className: '',
        anchor: 'middle',
      }),
    ),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, { content: x.title, className: '', anchor: 'middle' }),
    text(LEFT - 8, TOP - 2, { content: y.title, className: '', anchor: 'end' }),
    ...Object.entries(lines).flatMap(([server, own], index) => {
      const color = index % 4
      const last = own.at(-1)
      if (last === undefined) return []
      const path = own.map(([at, value]) => `${across.place(at)} ${up.place(value)}`).join('L')
      return [
        `<path class="line s${color}" d="M${path}"/>`,
        text(across.place(last[0]) + 6, up.place(last[1]) + 4, { content: server, className: `t${color}` }),
      ]
    }),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

interface Scale {
  ticks: readonly number[]
  /** Returns the position in units of the drawing, to a tenth. */
  place(value: number): number
}

function scaleOf(
  { scale }: Axis,
  values: readonly number[],
  { from, to }: { from: number; to: number },
): Scale {
  const most = Math.max(...values, Number.MIN_VALUE)
  const place = (share: number) => Math.round((from + share * (to - from)) * 10) / 10
  if (scale === 'log') {
    const least = Math.min(...values)
    const span = Math.log(most / least) || 1
    const ticks = [...new Set(values)].sort((one, other) => one - other)
    return { ticks, place: (value) => place(Math.log(value / least) / span) }
  }
  const step = niceStep(most / 4)
  const top = Math.ceil(most / step) * step
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  return { ticks, place: (value) => place(value / top) }
}

/** The next 1, 2 or 5 with zeros behind it. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10)
}

const label = (value: number): string =>
  value >= 1
    ? Math.round(value * 100) / 100 === Math.round(value)
      ? Math.round(value).toLocaleString('en-US')
      : String(Math.round(value * 100) / 100)
    : String(Number(value.toPrecision(2)))

interface TextOptions {
  content: string
  className: string
  anchor?: string
}

function text(x: number, y: number, { content, className, anchor = 'start' }: TextOptions): string {
  return `<text x="${x}" y="${y}" class="${className}" text-anchor="${anchor}">${escapeXml(content)}</text>`
}

const escapeXml = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Every so many points, and the last one: a plot of some hundred needs no more. */
export function thinned(points: readonly Point[], most: number): Point[] {
  const step = Math.max(1, Math.ceil(points.length / most))
  return points.filter((_, index) => index % step === 0 || index === points.length - 1)
}
