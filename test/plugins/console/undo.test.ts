/**
 * Every action of the console that deletes or revokes something asks for confirmation and says whether it can be
 * undone.
 */
import { expect } from 'chai'
import { chat, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { settled } from './browser.ts'
import { firstOf, furnish, maker, put, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

type Row = Record<string, unknown>

const own = { workspace_id: 'default' }
const canUndo = 'You can undo this for a moment afterwards.'
const cannotUndo = 'This cannot be undone.'

/**
 * Deletions on the pages of objects: the list, the object's name, its path in the API, and the members that are
 * restored.
 */
const undone: readonly {
  list: string
  name: string
  api: string
  action?: string
  /** Members that are the same after the object is restored. */
  kept: readonly string[]
}[] = [
  { list: 'Keys', name: 'Spare key', api: '/v1/api-keys', action: 'Revoke', kept: ['id', 'scopes'] },
  {
    list: 'Providers',
    name: titles.providers,
    api: '/v1/providers',
    kept: ['slug', 'integration_id', 'note', 'rate_limits', 'tags'],
  },
  { list: 'Configs', name: 'Spare config', api: '/v1/configs', kept: ['id', 'slug', 'version'] },
  {
    list: 'Prompts',
    name: 'Spare prompt',
    api: '/v1/prompts',
    kept: ['slug', 'string', 'model', 'parameters', 'published_version', 'latest_version', 'labels'],
  },
  { list: 'Guardrails', name: 'Spare guardrail', api: '/v1/guardrails', kept: ['id', 'slug', 'checks'] },
  { list: 'Policies', name: titles.policies, api: '/v1/policies/usage-limits', kept: ['id', 'credit_limit'] },
  {
    list: 'Rate limits',
    name: titles['rate-limits'],
    api: '/v1/policies/rate-limits',
    kept: ['id', 'value'],
  },
  { list: 'Workspaces', name: 'Spare team', api: '/v1/workspaces', kept: ['id', 'slug'] },
]

const final: readonly { list: string; name: string; api: string }[] = [
  { list: 'Users', name: titles.users, api: '/v1/users' },
  { list: 'Webhooks', name: titles.webhooks, api: '/v1/webhooks' },
]

async function prepare(gateway: TestGateway): Promise<void> {
  await furnish(gateway)
  const make = maker(gateway)
  await make('/v1/api-keys', {
    ...own,
    name: 'Spare key',
    type: 'workspace-service',
    scopes: ['completions.write'],
  })
  await make('/v1/configs', { ...own, name: 'Spare config', config: { retry: { attempts: 1 } } })
  await make('/v1/guardrails', {
    ...own,
    name: 'Spare guardrail',
    checks: [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }],
  })
  await make('/v1/workspaces', { name: 'Spare team' })
  const provider = await firstOf(gateway, '/v1/providers?search=main')
  await put(gateway, `/v1/providers/${String(provider.id)}`, {
    note: 'For the shop',
    tags: { team: 'shop' },
    rate_limits: [{ type: 'requests', unit: 'rpm', value: 5 }],
  })
  const template = (text: string) => JSON.stringify([{ role: 'user', content: text }])
  const prompt = await make('/v1/prompts', {
    ...own,
    name: 'Spare prompt',
    model: '@echo/any',
    string: template('One'),
    parameters: { temperature: 0.5 },
  })
  const path = `/v1/prompts/${String(prompt.id)}`
  await put(gateway, path, { string: template('Two'), patch: true, publish: true })
  await put(gateway, path, { string: template('Three'), patch: true })
  await put(gateway, `${path}/versions/2`, { labels: ['production'] })
}

describe('actions that delete or revoke', function () {
  const suite = useConsole(this, { prepare })
  const read = async (api: string, search: string): Promise<Row | undefined> => {
    const list = await suite.gateway.get(`${api}?page_size=1000`)
    const { data } = (await list.json()) as { data: Row[] }
    const found = data.find((row) => [row.name, row.url, row.email].includes(search))
    if (found === undefined) return undefined
    return (await (await suite.gateway.get(`${api}/${String(found.id)}`)).json()) as Row
  }

  for (const { list, name, api, action = 'Delete', kept } of undone) {
    it(`${action.toLowerCase()} an object of ${list} after a confirmation, and restore it with Undo`, async () => {
      const { page } = suite
      const before = await read(api, name)
      await suite.openObject(list, name)
      await page.getByRole('button', { name: action, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(canUndo).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await read(api, name), 'Escape deletes nothing').to.not.equal(undefined)
      await page.getByRole('button', { name: action, exact: true }).click()
      await dialog.getByRole('button', { name: action, exact: true }).click()
      await settled(page, list)
      await page.getByText(`${name} was ${action === 'Delete' ? 'deleted' : 'revoked'}.`).waitFor()
      expect(await read(api, name)).to.equal(undefined)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone.').waitFor()
      await settled(page, name)
      const after = await read(api, name)
      const keptOf = (row: Row | undefined) =>
        Object.fromEntries(kept.map((member) => [member, row?.[member] ?? null]))
      expect(keptOf(after)).to.deep.equal(keptOf(before))
    })
  }

  for (const { list, name, api } of final) {
    it(`say before a deletion in ${list} that it cannot be undone`, async () => {
      const { page } = suite
      await suite.openObject(list, name)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(cannotUndo).waitFor()
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
      await settled(page, list)
      await page.getByText(`${name} was deleted.`).waitFor()
      expect(await page.getByRole('button', { name: 'Undo' }).count()).to.equal(0)
      expect(await read(api, name)).to.equal(undefined)
    })
  }

  it('revoke a key from the list, and reactivate it with Undo', async () => {
    const { page, gateway } = suite
    const made = await maker(gateway)('/v1/api-keys', {
      ...own,
      name: 'Listed key',
      type: 'workspace-service',
      scopes: ['completions.write'],
    })
    const status = async () => {
      const headers = { 'x-gateway-api-key': String(made.key) }
      const body = { ...chat('hello'), model: '@echo/any' }
      return (await gateway.post('/v1/chat/completions', body, headers)).status
    }
    expect(await status()).to.equal(200)
    await suite.open('Keys')
    const row = page.getByRole('row', { name: /Listed key/ })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByText('Listed key was revoked.').waitFor()
    expect(await status()).to.equal(401)
    await page.getByRole('button', { name: 'Undo' }).click()
    await settled(page, 'Listed key')
    await until('the key works again', async () => (await status()) === 200)
  })

  it('keep the notice with Undo while the pointer or the focus is on it', async () => {
    const { page, gateway } = suite
    await maker(gateway)('/v1/configs', { ...own, name: 'Short-lived', config: { retry: { attempts: 1 } } })
    await page.clock.install()
    await suite.openObject('Configs', 'Short-lived')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    const isKept = async () => {
      await page.clock.fastForward(60_000)
      expect(await undo.count()).to.equal(1)
    }
    await undo.hover()
    await undo.focus()
    await isKept()
    await page.mouse.move(0, 0)
    await isKept()
    await undo.hover()
    await undo.blur()
    await isKept()
    await page.mouse.move(0, 0)
    await page.clock.fastForward(60_000)
    await undo.waitFor({ state: 'detached' })
  })

  it('say before the rotation of a key that it cannot be undone', async () => {
    const { page } = suite
    await suite.openObject('Keys', titles.keys)
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByText(cannotUndo, { exact: false }).waitFor()
  })

  it('remove a member of a workspace and change a role, each with Undo', async () => {
    const { page, gateway } = suite
    const email = 'grace@example.com'
    const invite = await maker(gateway)('/v1/users/invites', { email, role: 'member' })
    const token = new URL(String(invite.invite_link)).searchParams.get('token')
    const password = 'correct horse battery'
    await maker(gateway)('/v1/users/invites/accept', { token, first_name: 'Grace', password })
    await maker(gateway)('/v1/workspaces/default/users', { users: [{ email, role: 'manager' }] })
    await suite.visit('/workspaces/default', 'Default')
    const role = page.getByLabel(`Role of ${email}`)
    await role.selectOption('admin')
    await page.getByText(`${email} is now admin.`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    await until('the role is back', async () => (await role.inputValue()) === 'manager')
    await page
      .getByRole('row', { name: new RegExp(email) })
      .getByRole('button', { name: 'Remove' })
      .click()
    await page.getByRole('dialog').getByText(canUndo.replace('.', ''), { exact: false }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await role.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await role.waitFor()
    expect(await role.inputValue()).to.equal('manager')
  })

  it('reset the usage of a group only after a confirmation', async () => {
    const { page, gateway } = suite
    const policy = await maker(gateway)('/v1/policies/usage-limits', {
      ...own,
      name: 'Requests of each key',
      conditions: [{ key: 'workspace_id', value: '*' }],
      group_by: [{ key: 'api_key' }],
      type: 'requests',
      credit_limit: 10,
    })
    const caller = await maker(gateway)('/v1/api-keys', {
      ...own,
      name: 'Counted key',
      type: 'workspace-service',
      scopes: ['completions.write'],
    })
    const headers = { 'x-gateway-api-key': String(caller.key) }
    await gateway.post('/v1/chat/completions', { ...chat('hello'), model: '@echo/any' }, headers)
    const groups = `/v1/policies/usage-limits/${String(policy.id)}/entities`
    await until('the use is counted', async () => (await firstOf(gateway, groups)).current_usage !== 0)
    await suite.openObject('Policies', 'Requests of each key')
    await page.getByRole('button', { name: 'Reset' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(cannotUndo, { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('was reset.', { exact: false }).waitFor()
    expect(await firstOf(gateway, groups)).to.include({ current_usage: 0 })
  })
})
