/**
 * The groups of the analytics page are sorted by any column, and exported as CSV with all rows and the units of the
 * numbers.
 */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { accessibilityFaults, settled } from './browser.ts'
import { maker } from './furnish.ts'
import { useConsole } from './suite.ts'
import { loadWebModule } from './web-module.ts'

type Row = Record<string, unknown>
interface Csv {
  csvHead(columns: readonly string[], units: Row): string
  csvLines(rows: readonly Row[], columns: readonly string[], units: Row): string
  csvOfList(
    load: (page: number) => Promise<Row>,
    units: Row,
    tell: (progress: Row) => void,
  ): Promise<string[]>
  rowsPerPage: number
  mostRows: number
}

const users = 60
const costly = 7

function entryOf(index: number): Row {
  const prompt_tokens = index === costly ? 1_000_000 : 10
  const usage = { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 }
  return {
    request: {
      url: '/v1/chat/completions',
      provider: 'openai',
      body: { model: 'gpt-4o', user: `user-${index}` },
    },
    response: { status: 200, response_time: 10, body: { model: 'gpt-4o', usage } },
  }
}

describe('the rows of analytics', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      const make = maker(gateway)
      const all = Array.from({ length: users }, (_, index) => index)
      await make('/v1/logs', all.map(entryOf))
      // The user with the fewest requests causes the highest cost.
      await make('/v1/logs', all.filter((index) => index !== costly).map(entryOf))
    },
  })
  let csv: Csv
  before(async () => {
    csv = await loadWebModule<Csv>('parts/csv.ts')
  })

  it('have money in dollars as CSV, with the units in the heading', () => {
    const units = { cost: 'cents', avg_latency: 'ms' }
    const columns = ['model', 'cost', 'avg_latency']
    expect(csv.csvHead(columns, units)).to.equal('model,cost_usd,avg_latency_ms\n')
    const rows = [
      { model: 'a,"b"', cost: 413.61, avg_latency: 1.5 },
      { model: '=1+1', cost: 0.0000012, avg_latency: null },
    ]
    expect(csv.csvLines(rows, columns, units)).to.equal('"a,""b""",4.1361,1.5\n\'=1+1,0.00000001,\n')
  })

  it('are loaded page by page for a CSV, up to a limit', async () => {
    const { rowsPerPage, mostRows } = csv
    const asked: number[] = []
    const load = (total: number) => async (page: number) => {
      asked.push(page)
      const left = Math.max(0, Math.min(rowsPerPage, total - page * rowsPerPage))
      return { total, data: Array.from({ length: left }, (_, index) => ({ id: page * rowsPerPage + index })) }
    }
    const linesOf = (parts: string[]) => parts.join('').trimEnd().split('\n')
    expect(linesOf(await csv.csvOfList(load(2500), {}, () => undefined))).to.have.length(2501)
    expect(asked).to.deep.equal([0, 1, 2])
    let last: Row = {}
    const cut = await csv.csvOfList(load(mostRows + 5), {}, (progress) => {
      last = progress
    })
    expect(linesOf(cut)).to.have.length(mostRows + 1)
    expect(last).to.deep.equal({ rows: mostRows, total: mostRows + 5 })
  })

  it('are sorted by a click on a heading, and all of them are in the CSV', async () => {
    const { page } = suite
    await suite.visit('/analytics?group_by=users', 'Analytics')
    const table = page.getByRole('table', { name: 'By user' })
    const first = () => table.getByRole('row').nth(1).textContent()
    await table.getByRole('button', { name: 'Cost' }).click()
    await table.locator('th[aria-sort="descending"]', { hasText: 'Cost' }).waitFor()
    await settled(page)
    expect(await first()).to.include('user-7')
    expect(await accessibilityFaults(page)).to.deep.equal([])
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of all rows' }).click()
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trimEnd().split('\n')
    expect(lines).to.have.length(users + 1)
    expect(lines[0]).to.equal('user,requests,cost_usd,total_tokens,avg_latency_ms,error_count')
    expect(lines[1]).to.match(/^user-7,1,2\.5\d*,1000001,10,0$/)
    await table.getByRole('button', { name: 'Cost' }).click()
    await table.locator('th[aria-sort="ascending"]', { hasText: 'Cost' }).waitFor()
    await settled(page)
    expect(await first()).not.to.include('user-7')
  })
})
