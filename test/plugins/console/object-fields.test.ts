/** Nested objects as labelled fields: filters of exports, parameters of prompts, actions of guardrails. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { accessibilityFaults, isInvalid, settled } from './browser.ts'
import { firstOf, furnish, maker, put } from './furnish.ts'
import { useConsole } from './suite.ts'

type Row = Record<string, unknown>

const own = { workspace_id: 'default' }
const template = JSON.stringify([{ role: 'user', content: 'Hello' }])
const checks = [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }]

describe('the fields of an object', function () {
  const suite = useConsole(this, { prepare: furnish })
  const field = (label: string) => suite.page.getByLabel(label, { exact: true })
  const read = async (path: string): Promise<Row> => (await suite.gateway.get(path)).json() as Promise<Row>
  const save = async () => {
    await suite.page.getByRole('button', { name: 'Save' }).click()
    await suite.page.getByText('Saved.', { exact: true }).waitFor()
  }
  const create = (page: Page) => page.getByRole('button', { name: 'Create', exact: true }).click()

  /** Checks that an invalid value is reported next to its field and that nothing is sent. */
  async function refused(label: string, text: string, message: string): Promise<void> {
    await field(label).fill(text)
    await create(suite.page)
    await suite.page.getByText(message, { exact: true }).waitFor()
    await isInvalid(field(label))
  }

  it('filter an export, with a message for each invalid value', async () => {
    const { page, gateway } = suite
    await suite.visit('/exports/new', 'New export')
    await field('Description').fill('Slow calls')
    await refused('Status', '20x', 'Enter HTTP statuses of three digits, separated by commas.')
    await refused('Cost, at least', 'much', 'Enter a number of at least 0.')
    await refused('Maximum entries', '60000', 'Enter a whole number from 1 to 50000.')
    await field('Metadata').fill('{')
    await create(page)
    await page.getByRole('list', { name: 'Faults of Metadata' }).waitFor()
    await isInvalid(field('Metadata'))
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await field('Status').fill('429, 503')
    await field('Cost, at least').fill('0.5')
    await field('Maximum entries').fill('100')
    await field('Metadata').fill('{"team": "shop"}')
    await field('Cache').selectOption('MISS')
    await field('From').fill('2026-01-31T12:30')
    await create(page)
    await settled(page, 'Slow calls')
    const { id } = await firstOf(gateway, '/v1/logs/exports')
    const from = await page.evaluate("new Date('2026-01-31T12:30').toISOString()")
    expect((await read(`/v1/logs/exports/${String(id)}`)).filters).to.deep.include({
      time_of_generation_min: from,
      status_code: '429, 503',
      cost_min: 0.5,
      cache_status: 'MISS',
      metadata: { team: 'shop' },
      page_size: 100,
    })
  })

  it('keep the filters of an export that have no field', async () => {
    const { page, gateway } = suite
    const made = await maker(gateway)('/v1/logs/exports', {
      ...own,
      description: 'One span',
      filters: { span_id: 'abc', ai_model: 'large', page_size: 10 },
      requested_data: ['id'],
    })
    await suite.openObject('Exports', 'One span')
    expect(await field('Other members of filters').inputValue()).to.include('"span_id": "abc"')
    await field('Model').fill('small')
    await save()
    expect((await read(`/v1/logs/exports/${String(made.id)}`)).filters).to.include({
      span_id: 'abc',
      ai_model: 'small',
      page_size: 10,
    })
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('set the parameters of a prompt with the keyboard alone, and keep the others', async () => {
    const { page, gateway } = suite
    const made = await maker(gateway)('/v1/prompts', {
      ...own,
      name: 'Tuned',
      model: '@echo/any',
      string: template,
      parameters: { logit_bias: { '50256': -100 }, top_p: 0.9, stop: ['END'] },
    })
    const path = `/v1/prompts/${String(made.id)}@latest`
    await suite.openObject('Prompts', 'Tuned')
    expect(await field('Top p').inputValue()).to.equal('0.9')
    expect(await field('Stop sequences').inputValue()).to.equal('END')
    expect(await field('Other parameters').inputValue()).to.include('"50256": -100')
    await field('Temperature').focus()
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a number from 0 to 2.', { exact: true }).waitFor()
    await isInvalid(field('Temperature'))
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.keyboard.press('Control+a')
    await page.keyboard.type('0.4')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect((await read(path)).parameters).to.deep.equal({
      logit_bias: { '50256': -100 },
      temperature: 0.4,
      stop: ['END'],
    })
    await field('Parallel tool calls').selectOption('Yes')
    await field('Tool choice').selectOption('required')
    await page
      .getByRole('textbox', { name: 'Tools' })
      .fill('[{"type":"function","function":{"name":"look_up"}}]')
    await save()
    expect((await read(path)).parameters).to.deep.include({
      parallel_tool_calls: true,
      tool_choice: 'required',
      tools: [{ type: 'function', function: { name: 'look_up' } }],
    })
  })

  it('set the actions of a guardrail, and remove one', async () => {
    const { page, gateway } = suite
    await suite.visit('/guardrails/new', 'New guardrail')
    await field('Name').fill('Scored')
    await refused('On fail: value', '11', 'Enter a whole number from -10 to 10.')
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await field('On fail: value').fill('-5')
    await field('On fail: weight').fill('0.5')
    await field('On fail: metadata').fill('{"by": "guardrail"}')
    await field('On success: value').fill('5')
    await field('Deny').selectOption('No')
    await field('Async').selectOption('Yes')
    await field('If a check cannot run').selectOption('Count the check as failed')
    await create(page)
    await settled(page, 'Scored')
    const { id } = await firstOf(gateway, '/v1/guardrails?search=Scored')
    const made = await read(`/v1/guardrails/${String(id)}`)
    expect(made).to.deep.include({
      fail_closed: true,
      actions: {
        deny: false,
        async: true,
        on_success: { feedback: { value: 5, weight: 1 } },
        on_fail: { feedback: { value: -5, weight: 0.5, metadata: { by: 'guardrail' } } },
      },
    })
    await field('On success: value').fill('')
    await field('On success: weight').fill('')
    await field('On fail: weight').fill('1')
    await save()
    expect((await read(`/v1/guardrails/${String(id)}`)).actions).to.deep.equal({
      deny: false,
      async: true,
      on_fail: { feedback: { value: -5, weight: 1, metadata: { by: 'guardrail' } } },
    })
  })

  it('mark the field that the API refuses', async () => {
    const { page, gateway } = suite
    const made = await maker(gateway)('/v1/guardrails', { ...own, name: 'Plain', checks })
    await suite.openObject('Guardrails', 'Plain')
    await put(gateway, `/v1/guardrails/${String(made.id)}`, {
      actions: { on_fail: { feedback: { value: 1 } } },
    })
    await page.reload()
    await settled(page, 'Plain')
    await field('On fail: metadata').fill('[1]')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(field('On fail: metadata'))
  })
})
