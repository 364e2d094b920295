/** Test cases of a prompt, run on its versions; names of versions; publishing and rolling back. */
import { expect } from 'chai'
import { checkLooks, countClicks, settled } from './browser.ts'
import { maker, put } from './furnish.ts'
import { useConsole } from './suite.ts'

const text = (content: string) => JSON.stringify([{ role: 'user', content }])

describe('a prompt with test cases', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      await maker(gateway)('/v1/prompts', {
        workspace_id: 'default',
        name: 'Offer',
        slug: 'offer',
        model: '@echo/any',
        string: text('An offer for {{name}}, {{count}} items.'),
        parameters: {},
        variables_schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            count: { type: 'integer' },
            tone: { enum: ['warm', 'cool'] },
          },
        },
      })
      await put(gateway, '/v1/prompts/offer', { patch: true, string: text('Goodbye {{name}}.') })
    },
  })
  const prompt = async () =>
    (await (await suite.gateway.get('/v1/prompts/offer')).json()) as {
      published_version: number
      test_cases: unknown
    }

  it('gets one with typed variables, and runs it on both versions, in eight clicks', async () => {
    const { page } = suite
    await suite.open('Prompts')
    const clicks = await countClicks(page)
    await page.getByRole('table').getByRole('link', { name: 'Offer' }).click()
    await settled(page, 'Offer')
    await page.getByRole('button', { name: 'Add test case' }).click()
    const one = page.getByRole('region', { name: 'Test case', exact: true })
    await one.getByLabel('Name of the case').fill('Two for Ann')
    await one.getByLabel('name', { exact: true }).fill('Ann')
    expect(await one.getByLabel('count').getAttribute('type')).to.equal('number')
    await one.getByLabel('count').fill('2')
    await one.getByLabel('tone').selectOption('warm')
    await one.getByLabel('Text').fill('2 items')
    await page.getByRole('button', { name: 'Save test cases' }).click()
    await page.getByText('The test cases were saved.').waitFor()
    await page.getByRole('button', { name: 'Run tests' }).click()
    await page.getByText('Version 2: 0 of 1 passed.').waitFor()
    const row = page.getByRole('table', { name: 'Test cases' }).getByRole('row', { name: /Two for Ann/ })
    await row.getByText('passed').waitFor()
    await row.getByText('failed').click()
    await row.getByText('Expected that it contains "2 items".').waitFor()
    expect(await clicks()).to.be.at.most(8)
    expect((await prompt()).test_cases).to.deep.equal([
      {
        name: 'Two for Ann',
        variables: { name: 'Ann', count: 2, tone: 'warm' },
        expected: [{ type: 'contains', value: '2 items' }],
      },
    ])
    await checkLooks(page, 'test cases of a prompt')
  })

  it('gives a version a name, publishes the next one, and rolls back', async () => {
    const { page, gateway } = suite
    await suite.openObject('Prompts', 'Offer')
    await page.getByRole('button', { name: 'Name version 1' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('spring')
    await page.getByRole('dialog').getByRole('button', { name: 'Name it' }).click()
    const versions = page.getByRole('table', { name: 'Versions' })
    await versions.getByText('spring').waitFor()
    // The name is shown before the API has answered.
    await page.getByText('Version 1 is named spring.').waitFor()
    const named = (await (await gateway.get('/v1/prompts/offer@spring')).json()) as { prompt_version: number }
    expect(named.prompt_version).to.equal(1)
    await versions.getByRole('button', { name: 'Publish' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish version 2?' })
    await dialog.getByRole('alert').getByText('1 of 1 test cases fail on version 2: Two for Ann.').waitFor()
    await dialog.getByText('Expected that it contains "2 items".').waitFor()
    await checkLooks(page, 'the dialog before a version is published')
    expect((await prompt()).published_version, 'nothing is published yet').to.equal(1)
    await dialog.getByRole('button', { name: 'Publish anyway' }).click()
    await page.getByText('Version 2 is published.').waitFor()
    await versions.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').getByText('All test cases pass on version 1 (1).').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByText('Version 1 is published.').waitFor()
    expect((await prompt()).published_version).to.equal(1)
  })

  it('checks a pattern that takes exponential time in a browser, and explains why an answer fails', async () => {
    const { page, gateway } = suite
    await put(gateway, '/v1/prompts/offer', {
      patch: true,
      test_cases: [
        {
          name: 'Many',
          variables: { name: 'a'.repeat(60), count: 1 },
          expected: [{ type: 'matches', value: '^An offer for (a+)+!$' }],
        },
      ],
    })
    await suite.openObject('Prompts', 'Offer')
    await page.getByLabel('Versions to test').selectOption('1')
    await page.getByRole('button', { name: 'Run tests' }).click()
    const row = page.getByRole('table', { name: 'Test cases' }).getByRole('row', { name: /Many/ })
    await row.getByText('failed').click()
    await row.getByText('Expected that it matches the pattern "^An offer for (a+)+!$".').waitFor()
  })
})
