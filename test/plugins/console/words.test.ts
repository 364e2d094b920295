/** Pure functions of the console that make addresses and words: what links keep, and names of kinds and groups. */
import { expect } from 'chai'
import { loadWebModule } from './web-module.ts'

describe('addresses of the console', () => {
  const cases = [
    ['/console/keys', '', '/console/keys'],
    ['/console/keys', '?workspace=b', '/console/keys?workspace=b'],
    ['/console/keys?search=a#top', '?workspace=b&x=1', '/console/keys?search=a&workspace=b#top'],
    ['/console/keys?workspace=c', '?workspace=b', '/console/keys?workspace=c'],
    ['/oauth/authorize', '?workspace=b', '/oauth/authorize'],
  ] as const
  for (const [to, search, expected] of cases)
    it(`keep the workspace and the fragment: ${to} from "${search}"`, async () => {
      const { inWorkspace } = await loadWebModule<{ inWorkspace: (to: string, search: string) => string }>(
        'address.ts',
      )
      expect(inWorkspace(to, search)).to.equal(expected)
    })
})

describe('words of the console', () => {
  it('name kinds of the audit log as the pages do, and read both names', async () => {
    const { kindText, kindOf } =
      await loadWebModule<Record<'kindText' | 'kindOf', (text: string) => string>>('parts/audit-kinds.ts')
    for (const [kind, text] of [
      ['policy_rate_limits', 'rate limit'],
      ['policy_usage_limits', 'usage policy'],
      ['api-key', 'API key'],
      ['mcp-integration', 'MCP integration'],
      ['log-export', 'export'],
      ['config', 'config'],
    ] as const) {
      expect(kindText(kind)).to.equal(text)
      expect(kindOf(text)).to.equal(kind)
      expect(kindOf(kind)).to.equal(kind)
    }
  })

  it('name what a policy groups by, and a group', async () => {
    const { groupKeysText, groupText } = await loadWebModule<{
      groupKeysText: (keys: readonly string[]) => string
      groupText: (text: string) => string
    }>('parts/group-text.ts')
    expect(groupKeysText(['api_key', 'metadata._user', 'model'])).to.equal('key, metadata _user, model')
    expect(groupKeysText([])).to.equal('nothing')
    expect(groupText('api_key:Web shop')).to.equal('Key Web shop')
    expect(groupText('metadata._user:ada')).to.equal('_user ada')
  })
})
