import { expect } from 'chai'
import { type Budgets, grownFunctions, isExceeded, isLowered, recorded } from './budgets.ts'
import { renderBudgets } from './page.ts'

const budget = { relay: 0, allowed: 100, goal: 50, functions: { 'send a.js': 2, 'read b.js': 1 } }
const budgets: Budgets = {
  date: '2026-01-02',
  machine: 'CPU',
  node: '20',
  scenarios: { chat: { promises: budget, kilobytes: { ...budget, allowed: 40 } } },
}
const figures = (perRequest: number, functions: Record<string, number> = {}) => ({ perRequest, functions })

describe('budgets of a request', () => {
  it('are exceeded by more than 3 %, and should be lowered when 3 % are unused', () => {
    const kilobytes = { unit: 'kilobytes', isSameMachine: true } as const
    expect([103, 103.1].map((figure) => isExceeded(figure, 100, kilobytes))).to.deep.equal([false, true])
    const elsewhere = { ...kilobytes, isSameMachine: false }
    expect([110, 110.1].map((figure) => isExceeded(figure, 100, elsewhere))).to.deep.equal([false, true])
    const promises = { unit: 'promises', isSameMachine: false } as const
    expect(isExceeded(103.1, 100, promises)).to.equal(true)
    expect([97, 96.9].map((figure) => isLowered(figure, 100))).to.deep.equal([false, true])
  })

  it('name the functions that grew most, new ones too, and none that shrank', () => {
    const now = { 'send a.js': 2.5, 'read b.js': 0.5, 'new c.js': 3, 'noise d.js': 0.01 }
    expect(grownFunctions(budget.functions, now, 8)).to.deep.equal([
      { name: 'new c.js', before: 0, now: 3 },
      { name: 'send a.js', before: 2, now: 2.5 },
    ])
    expect(grownFunctions(budget.functions, now, 1)).to.have.length(1)
  })

  it('are replaced by the measured values, and keep their goals', () => {
    const head = { date: '2026-02-03', machine: 'other', node: '22' }
    const own = {
      promises: figures(80.04, { 'send a.js': 1.234, 'noise d.js': 0.01 }),
      kilobytes: figures(45),
    }
    const relay = { promises: figures(0), kilobytes: figures(23) }
    const next = recorded(budgets, head, { relay: { chat: relay }, gateway: { chat: own } })
    expect(next).to.deep.include(head)
    expect(next.scenarios.chat?.promises).to.deep.equal({
      relay: 0,
      allowed: 80,
      goal: 50,
      functions: { 'send a.js': 1.23 },
    })
    expect(recorded(budgets, head, { relay: {}, gateway: {} }).scenarios).to.deep.equal(budgets.scenarios)
  })

  it('are shown with their goals and whether these are reached', () => {
    const text = renderBudgets(budgets).join('\n')
    expect(text).to.contain('| chat | 0.0 | 100.0 | 50 | **no** |')
    expect(text).to.contain('| chat | 0.0 | 40.0 | 50 | yes |')
  })
})
