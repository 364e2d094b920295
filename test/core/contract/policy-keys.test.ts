/** The keys and values that policies may use, and the paths in refusals. */
import { expect } from 'chai'
import { policyFaults } from '#domain/policy-keys'

type Policy = Parameters<typeof policyFaults>[0]
type Target = Parameters<typeof policyFaults>[1]

const policy = (more: Partial<Policy> = {}): Policy => ({
  conditions: [{ key: 'workspace_id', value: 'default' }],
  group_by: [{ key: 'api_key' }],
  ...more,
})

const conditions = (...list: Policy['conditions']) => policy({ conditions: list })

const good: [string, Policy, Target][] = [
  ['a plain one', policy(), 'llm'],
  ['every wildcard', conditions({ key: 'api_key', value: '*' }, { key: 'model', value: '@a/*' }), 'llm'],
  ['a list of values', conditions({ key: 'provider', value: ['openai', 'a*'], excludes: 'azure' }), 'llm'],
  ['metadata with any text', conditions({ key: 'metadata._user', value: ['a*b', 'x*'] }), 'llm'],
  ['endpoints', conditions({ key: 'endpoint_type', value: ['chatComplete', 'uploadFile', 'mcp'] }), 'llm'],
  [
    'tools of a server',
    conditions({ key: 'mcp_tool', value: 'read_*' }, { key: 'mcp_server', value: 's' }),
    'mcp_tools',
  ],
  ['metadata of a call of a tool', conditions({ key: 'metadata.team', value: 'a' }), 'mcp_tools'],
  ['several groups', policy({ group_by: [{ key: 'api_key' }, { key: 'metadata.a' }] }), 'llm'],
]

const bad: [string, Policy, Target, string[]][] = [
  ['an unknown key', conditions({ key: 'colour', value: 'red' }), 'llm', ['/conditions/0/key']],
  ['a key of an object', conditions({ key: 'constructor', value: 'red' }), 'llm', ['/conditions/0/key']],
  ['metadata without a name', conditions({ key: 'metadata.', value: 'a' }), 'llm', ['/conditions/0/key']],
  ['a key of the other target', conditions({ key: 'mcp_tool', value: 'a' }), 'llm', ['/conditions/0/key']],
  ['the same the other way', conditions({ key: 'model', value: 'a' }), 'mcp_tools', ['/conditions/0/key']],
  ['an unknown group', policy({ group_by: [{ key: 'x' }] }), 'llm', ['/group_by/0/key']],
  ['a group twice', policy({ group_by: [{ key: 'model' }, { key: 'model' }] }), 'llm', ['/group_by/1/key']],
  [
    'an unknown endpoint',
    conditions({ key: 'endpoint_type', value: ['x'] }),
    'llm',
    ['/conditions/0/value/0'],
  ],
  ['a wildcard within', conditions({ key: 'model', value: 'a*b' }), 'llm', ['/conditions/0/value']],
  [
    'a wildcard it does not know',
    conditions({ key: 'api_key', value: 'a*' }),
    'llm',
    ['/conditions/0/value'],
  ],
  [
    'everything at once',
    {
      conditions: [
        { key: 'config', value: ['ok', '*a'], excludes: 'b*c' },
        { key: 'nope', value: 'a' },
      ],
      group_by: [{ key: 'mcp_server' }],
    },
    'llm',
    ['/conditions/0/value/1', '/conditions/0/excludes', '/conditions/1/key', '/group_by/0/key'],
  ],
]

describe('policy keys: the parser', () => {
  for (const [what, written, target] of good) {
    it(`accepts ${what}`, () => {
      expect(policyFaults(written, target)).to.deep.equal([])
    })
  }
  for (const [what, written, target, params] of bad) {
    it(`refuses ${what}`, () => {
      const faults = policyFaults(written, target)
      expect(faults.map(({ param }) => param)).to.deep.equal(params)
      for (const { code, message } of faults) {
        expect(code).to.equal('invalid_body')
        expect(message).to.have.length.greaterThan(5)
      }
    })
  }
})
