/** When a usage limit runs out at the average rate since its period began. */
import { expect } from 'chai'
import { loadWebModule } from './web-module.ts'

interface Limit {
  used: number
  limit: number
  resetsAt: string | null
  resetAt: string | null
  createdAt: string
  days: number | null
  period: string | null
}

interface Forecast {
  used: number | null
  runsOutAtMs: number | null
}

interface Module {
  forecastOf: (limit: Limit, nowMs: number) => Forecast
  isThisWeek: (forecast: Forecast, nowMs: number) => boolean
}

const nowMs = Date.parse('2026-03-11T00:00:00Z')
const monthly: Limit = {
  used: 50,
  limit: 100,
  resetsAt: '2026-04-01T00:00:00Z',
  resetAt: '2026-03-01T00:00:00Z',
  createdAt: '2025-01-01T00:00:00Z',
  days: null,
  period: 'monthly',
}

interface Case {
  title: string
  limit: Partial<Limit>
  used: number | null
  runsOutAt: string | null
  isSoon: boolean
}

const cases: readonly Case[] = [
  {
    title: 'half used after ten days of a month',
    limit: {},
    used: 155,
    runsOutAt: '2026-03-21T00:00:00.000Z',
    isSoon: false,
  },
  {
    title: 'nearly used up',
    limit: { used: 80 },
    used: 248,
    runsOutAt: '2026-03-13T12:00:00.000Z',
    isSoon: true,
  },
  { title: 'used slowly', limit: { used: 10 }, used: 31, runsOutAt: null, isSoon: false },
  { title: 'used up', limit: { used: 120 }, used: 120, runsOutAt: '2026-03-11T00:00:00.000Z', isSoon: true },
  { title: 'not used', limit: { used: 0 }, used: 0, runsOutAt: null, isSoon: false },
  {
    title: 'created half an hour ago',
    limit: { createdAt: '2026-03-10T23:30:00Z' },
    used: null,
    runsOutAt: null,
    isSoon: false,
  },
  {
    title: 'without a reset',
    limit: { resetsAt: null, resetAt: null, period: null, createdAt: '2026-03-01T00:00:00Z' },
    used: 200,
    runsOutAt: '2026-03-21T00:00:00.000Z',
    isSoon: false,
  },
  {
    title: 'weekly, and never reset before',
    limit: { resetsAt: '2026-03-14T00:00:00Z', resetAt: null, period: 'weekly' },
    used: 87.5,
    runsOutAt: null,
    isSoon: false,
  },
]

describe('the forecast of a limit', () => {
  let module: Module
  before(async () => {
    module = await loadWebModule<Module>('parts/forecast.ts')
  })

  for (const { title, limit, used, runsOutAt, isSoon } of cases)
    it(`that is ${title}`, () => {
      const found = module.forecastOf({ ...monthly, ...limit }, nowMs)
      if (used === null) expect(found.used).to.equal(null)
      else expect(found.used).to.be.closeTo(used, 0.5)
      const at = found.runsOutAtMs === null ? null : new Date(found.runsOutAtMs).toISOString()
      expect(at).to.equal(runsOutAt)
      expect(module.isThisWeek(found, nowMs)).to.equal(isSoon)
    })
})
