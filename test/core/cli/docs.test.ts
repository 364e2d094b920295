/** `gateway docs`: the generated pages of providers and checks are up to date. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProviderAdapter } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { expect } from 'chai'
import { parse } from 'yaml'
import { main } from '#core/cli/main'
import { providersPage } from '#core/cli/providers-page'
import { terminal } from './support.ts'

const root = new URL('../../../../', import.meta.url)

const call = { kind: 'http', method: 'POST', path: '/x', dialect: {} } as never

const acme: ProviderAdapter = {
  name: 'acme-ai',
  title: 'Acme | AI',
  docs: 'https://docs.acme.example/api',
  baseUrl: 'https://api.acme.example/v1',
  credential: 'required',
  auth: (request) => request,
  endpoints: { rerank: call, chatComplete: call },
  notes: {
    remarks: ['`seed` is kept for a day.'],
    drops: { chatComplete: ['logit_bias', 'user'], embed: [] },
  },
}
const own: ProviderAdapter = {
  ...acme,
  name: 'a-own',
  title: 'Own',
  baseUrl: null,
  credential: 'optional',
  configurations: Type.Object({
    mode: Type.Union([Type.Literal('key'), Type.Literal('role')], { description: 'Who | signs.' }),
    role_name: Type.Optional(Type.String()),
  }),
  notes: {
    example: { provider: 'a-own', custom_host: 'https://own.example' },
    credentials: ['cloudA_region'],
  },
}

describe('the generated pages', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-docs-'))
    const io = terminal({ directory: folder })
    expect(await main(['docs', '--out', folder], io), io.errors).to.equal(0)
  })
  after(() => rm(folder, { recursive: true }))

  for (const path of ['providers/README.md', 'plugins/README.md', 'docs/configuration.md'])
    it(`are up to date: ${path} (after a change: npm run docs)`, async () => {
      const fresh = await readFile(join(folder, path), 'utf8')
      expect(await readFile(new URL(path, root), 'utf8')).to.equal(fresh)
    })
})

describe('the generated page of providers', () => {
  const page = providersPage([acme, own])

  it('is the same for the same providers in any order', () => {
    expect(providersPage([own, acme])).to.equal(page)
  })

  const said = [
    '| [Acme \\| AI](#acme-ai) | `acme-ai` | `chatComplete` `rerank` |',
    '| reference | <https://docs.acme.example/api> |',
    '| base URL | `https://api.acme.example/v1` |',
    '| base URL | given by `custom_host` |',
    '| credential | `api_key` |',
    '| credential | `cloudA_region`, if the server requires one |',
    '- `seed` is kept for a day.',
    '- `chatComplete`: `logit_bias` `user`',
    '| `mode` | `key` \\| `role` | Who \\| signs. |',
    '| `role_name` | string |  |',
  ]
  for (const line of said) it(`contains: ${line}`, () => expect(page.split('\n')).to.include(line))

  it('does not mention endpoints that support every parameter', () => expect(page).to.not.include('`embed`'))

  it('shows a config file entry for each provider', () => {
    const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml))
    expect(examples).to.deep.equal([
      { providers: { 'my-a-own': { provider: 'a-own', custom_host: 'https://own.example' } } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the config file's own syntax.
      { providers: { 'my-acme-ai': { provider: 'acme-ai', api_key: '${ACME_AI_API_KEY}' } } },
    ])
  })
})
