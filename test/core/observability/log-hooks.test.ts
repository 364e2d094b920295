/** Verdicts and feedback of hooks, including async ones, are stored with the request's log entry. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import { until } from '../../support/until.ts'

interface Kept {
  id: string
  verdict: boolean
  async: boolean
  feedback: JsonObject | null
  checks: JsonObject[]
}

describe('hooks in the request log', () => {
  const scene = openScene()
  const guardrail = (id: string, rule: string, more: object = {}) => ({
    id,
    type: 'guardrail',
    checks: [{ id: 'default.regexMatch', parameters: { rule, not: true } }],
    on_fail: { feedback: { value: -5, weight: 0.5, metadata: { why: id } } },
    on_success: { feedback: { value: 3 } },
    ...more,
  })
  const entryOf = async (config: object, headers: Record<string, string> = {}) => {
    const reply = await scene.ask({ ...scene.leaf('a'), ...config }, { headers })
    const traceId = reply.headers.get('x-gateway-trace-id') ?? ''
    const { runtime } = scene.gateway
    return until('the entry', async () => {
      await runtime.logs.flush()
      const [summary] = await runtime.store.log.list({ fields: { trace_id: [traceId] } }, { limit: 1 })
      const [entry] = summary === undefined ? [] : await runtime.store.log.read([summary.id])
      return entry ?? null
    })
  }
  const hooksOf = (details: JsonObject) =>
    details.hook_results as unknown as Record<'before_request_hooks' | 'after_request_hooks', Kept[]>

  it('have their complete feedback', async () => {
    const { details, fields } = await entryOf({
      before_request_hooks: [guardrail('greets', 'hello')],
      after_request_hooks: [guardrail('curses', 'damn')],
    })
    const { before_request_hooks: before, after_request_hooks: after } = hooksOf(details)
    expect(before.map(({ id, verdict }) => [id, verdict])).to.deep.equal([['greets', false]])
    expect(before[0]?.feedback).to.deep.equal({ value: -5, weight: 0.5, metadata: { why: 'greets' } })
    expect(after.map(({ id, verdict }) => [id, verdict])).to.deep.equal([['curses', true]])
    expect(after[0]?.feedback).to.deep.equal({ value: 3, weight: 1, metadata: {} })
    expect(before[0]?.checks[0]).to.have.all.keys(
      'id',
      'verdict',
      'data',
      'error',
      'execution_time',
      'transformed',
    )
    expect(fields.guardrail_verdict).to.equal(false)
  })

  it('include async hooks, which the answer did not wait for', async () => {
    const { details, fields } = await entryOf({
      before_request_hooks: [guardrail('now', 'damn'), guardrail('late', 'hello', { async: true })],
    })
    const { before_request_hooks: before } = hooksOf(details)
    expect(before.map(({ id, async }) => [id, async])).to.deep.equal([
      ['now', false],
      ['late', true],
    ])
    expect(before[1]?.feedback).to.include({ value: -5 })
    expect(fields.guardrail_verdict, 'a verdict that came late').to.equal(false)
  })

  it('are null when no hook ran', async () => {
    const { details, fields } = await entryOf({})
    expect([details.hook_results, fields.guardrail_verdict]).to.deep.equal([null, null])
  })
})
