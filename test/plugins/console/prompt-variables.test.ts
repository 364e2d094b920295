/** The variables of a prompt as typed fields, next to the resulting JSON Schema. */
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { checkLooks } from './browser.ts'
import { maker } from './furnish.ts'
import { useConsole } from './suite.ts'
import { loadWebModule } from './web-module.ts'

describe('the variables of a prompt', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      await maker(gateway)('/v1/prompts', {
        workspace_id: 'default',
        name: 'Letter',
        slug: 'letter',
        model: '@echo/any',
        string: JSON.stringify([
          { role: 'user', content: 'To {{name}}: {{count}} items. {{#note}}!{{/note}}' },
        ]),
        parameters: {},
      })
    },
  })
  const schema = async () =>
    ((await (await suite.gateway.get('/v1/prompts/letter@latest')).json()) as { variables_schema: unknown })
      .variables_schema

  it('get types from fields, and calls that do not fit them are refused', async () => {
    const { page, gateway } = suite
    await suite.openObject('Prompts', 'Letter')
    await page.getByRole('button', { name: 'Add from the template: name, count, note' }).click()
    const row = (number: number) => page.getByRole('group', { name: `Variable ${number}` })
    await row(1).getByLabel('Type').selectOption('enum')
    await row(1).getByLabel('Choices').fill('Ann\nBob')
    await row(2).getByLabel('Type').selectOption('integer')
    await row(2).getByLabel('What it is').fill('How many')
    await row(3).getByLabel('Required').selectOption('false')
    await checkLooks(page, 'the variables of a prompt')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await schema()).to.deep.equal({
      type: 'object',
      properties: {
        name: { enum: ['Ann', 'Bob'] },
        count: { type: 'integer', description: 'How many' },
        note: { type: 'string' },
      },
      required: ['name', 'count'],
    })
    const refused = await gateway.post('/v1/prompts/letter@latest/completions', {
      variables: { name: 'Ann', count: 'many' },
    })
    expect(refused.status).to.equal(400)
  })

  it('change with the JSON next to them, and show an error of the gateway at its line', async () => {
    const { page } = suite
    await suite.openObject('Prompts', 'Letter')
    await page.getByText('As a JSON Schema').click()
    const json = page.getByRole('textbox', { name: 'JSON Schema of the variables' })
    await json.fill('{"type": "object", "properties": {"age": {"type": "number", "minimum": 3}}}')
    const row = page.getByRole('group', { name: 'Variable 1' })
    await until('the row is that of the JSON', async () =>
      (await row.getByLabel('Variable', { exact: true }).inputValue()) === 'age' ? true : undefined,
    )
    await row.getByLabel('What it is').fill('In years')
    expect(JSON.parse(await json.inputValue())).to.deep.equal({
      type: 'object',
      properties: { age: { type: 'number', description: 'In years', minimum: 3 } },
    })
    await json.fill('{"type": "object", "properties": {"age": {"type": "years"}}}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('list', { name: 'Faults of JSON Schema of the variables' }).waitFor()
    await json.fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await schema()).to.equal(null)
  })
})

describe('the fields of a schema of variables', () => {
  it('keep members that they do not show', async () => {
    const { schemaOfText, textOfVariables, variablesOf } = await loadWebModule<{
      schemaOfText(text: string): Record<string, unknown>
      variablesOf(schema: object): object[]
      textOfVariables(schema: object, variables: object[]): string
    }>('parts/variables-text.ts')
    const schema = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'], description: 'x', pattern: '^a' },
        b: { type: 'string', enum: ['one', 'two'], default: 'one' },
        c: { enum: [1, 2] },
        d: { type: 'array', items: { type: 'object', properties: { e: {} } } },
      },
      required: ['b'],
      additionalProperties: false,
      $defs: { f: {} },
    }
    const read = schemaOfText(JSON.stringify(schema))
    expect(JSON.parse(textOfVariables(read, variablesOf(read)))).to.deep.equal(schema)
    expect(textOfVariables({}, [])).to.equal('')
  })
})
