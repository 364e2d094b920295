/**
 * Cases of the checks that restrict requests: modelRules, allowedRequestTypes, requestParametersCheck,
 * requiredMetadataKeys.
 */
import type { JsonObject } from '@gateway/contract'
import { type CheckCase, casesOf } from '@gateway/testing'

const asking = (body: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }], ...body })

const rules = {
  defaults: ['small'],
  metadata: { team: { research: ['large-*'], support: ['medium'] }, region: { eu: ['eu-large'] } },
}

const modelRules = casesOf(
  'modelRules',
  [
    {
      name: 'defaults: passes their model where no rule applies',
      request: asking({ model: 'small' }),
      verdict: true,
      data: { path: '/model', listed: true, keys: [] },
    },
    { name: 'defaults: fails another model', request: asking({ model: 'large-1' }), verdict: false },
    {
      name: 'metadata: passes the models of its value',
      metadata: { team: 'research' },
      request: asking({ model: 'large-1' }),
      verdict: true,
      data: { path: '/model', listed: true, keys: ['team'] },
    },
    {
      name: 'metadata: fails the models of another value',
      metadata: { team: 'support' },
      request: asking({ model: 'large-1' }),
      verdict: false,
    },
    {
      name: 'metadata: the defaults do not count where a rule applies',
      metadata: { team: 'support' },
      request: asking({ model: 'small' }),
      verdict: false,
    },
    {
      name: 'metadata: several rules count together',
      metadata: { team: 'support', region: 'eu' },
      request: asking({ model: 'eu-large' }),
      verdict: true,
    },
    {
      name: 'metadata: a value without a rule leaves the defaults',
      metadata: { team: 'sales' },
      request: asking({ model: 'small' }),
      verdict: true,
    },
    {
      name: 'not: fails the models of the rules',
      parameters: { rules, not: true },
      request: asking({ model: 'small' }),
      verdict: false,
    },
    {
      name: 'not: passes others',
      parameters: { rules, not: true },
      request: asking({ model: 'large-1' }),
      verdict: true,
    },
    {
      name: 'compares a model with and without its slug',
      request: asking({ model: '@house/small' }),
      verdict: true,
    },
    { name: 'fails a request without a model', request: asking({}), verdict: false },
    {
      name: 'fails every model where nothing names one',
      parameters: { rules: { metadata: { team: { research: ['a'] } } } },
      request: asking({ model: 'a' }),
      verdict: false,
    },
    {
      name: 'refuses rules without a model',
      parameters: { rules: {} },
      error: 'must contain at least one model',
    },
    { name: 'refuses rules that are misspelt', parameters: { rules: { default: ['a'] } }, error: '/rules' },
  ],
  { parameters: { rules } },
)

const allowedRequestTypes = casesOf('allowedRequestTypes', [
  {
    name: 'allowedTypes: passes a type of the list',
    parameters: { allowedTypes: ['chatComplete'] },
    verdict: true,
    data: { type: 'chatComplete', isAllowed: true, isBlocked: false },
  },
  {
    name: 'allowedTypes: fails any other',
    parameters: { allowedTypes: ['chatComplete'] },
    endpoint: 'embed',
    verdict: false,
  },
  {
    name: 'blockedTypes: fails a type of the list',
    parameters: { blockedTypes: ['embed'] },
    endpoint: 'embed',
    verdict: false,
    data: { type: 'embed', isAllowed: true, isBlocked: true },
  },
  { name: 'blockedTypes: passes any other', parameters: { blockedTypes: ['embed'] }, verdict: true },
  { name: 'passes everything without lists', parameters: {}, verdict: true },
  {
    name: 'falls back to supported_endpoints: passes',
    parameters: {},
    metadata: { supported_endpoints: 'embed, chatComplete' },
    verdict: true,
  },
  {
    name: 'falls back to supported_endpoints: fails',
    parameters: {},
    metadata: { supported_endpoints: '["embed"]' },
    verdict: false,
  },
  {
    name: 'falls back to blocked_endpoints: fails',
    parameters: {},
    metadata: { blocked_endpoints: 'chatComplete' },
    verdict: false,
  },
  {
    name: 'falls back to blocked_endpoints: passes',
    parameters: {},
    metadata: { blocked_endpoints: 'embed' },
    verdict: true,
  },
  {
    name: 'does not let metadata widen the parameters',
    parameters: { allowedTypes: ['embed'] },
    metadata: { supported_endpoints: 'chatComplete' },
    verdict: false,
  },
  {
    name: 'does not let metadata override blocked models',
    parameters: { blockedTypes: ['chatComplete'] },
    metadata: { blocked_endpoints: 'embed' },
    verdict: false,
  },
  {
    name: 'refuses a type in both lists',
    parameters: { allowedTypes: ['embed'], blockedTypes: ['embed'] },
    error: 'embed',
  },
  {
    name: 'refuses a type that does not exist',
    parameters: { blockedTypes: ['chatCompletion'] },
    error: '/blockedTypes/0',
  },
])

const functionTool = (name: string): JsonObject => ({ type: 'function', function: { name } })
const search: JsonObject = { type: 'web_search' }

const requestParametersCheck = casesOf('requestParametersCheck', [
  {
    name: 'tools.allowedTypes: passes',
    parameters: { tools: { allowedTypes: ['function'] } },
    request: asking({ tools: [functionTool('a')] }),
    verdict: true,
    data: { violations: [] },
  },
  {
    name: 'tools.allowedTypes: fails, and reports the position',
    parameters: { tools: { allowedTypes: ['function'] } },
    request: asking({ tools: [functionTool('a'), search] }),
    verdict: false,
    data: { violations: [{ path: '/tools/1', reason: 'type_not_allowed' }] },
  },
  {
    name: 'tools.blockedTypes: passes',
    parameters: { tools: { blockedTypes: ['mcp'] } },
    request: asking({ tools: [search] }),
    verdict: true,
  },
  {
    name: 'tools.blockedTypes: fails',
    parameters: { tools: { blockedTypes: ['web_search'] } },
    request: asking({ tools: [search] }),
    verdict: false,
    data: { violations: [{ path: '/tools/0', reason: 'type_blocked' }] },
  },
  {
    name: 'tools.allowedFunctionNames: passes',
    parameters: { tools: { allowedFunctionNames: ['a'] } },
    request: asking({ tools: [functionTool('a'), search] }),
    verdict: true,
  },
  {
    name: 'tools.allowedFunctionNames: fails',
    parameters: { tools: { allowedFunctionNames: ['a'] } },
    request: asking({ tools: [functionTool('b')] }),
    verdict: false,
    data: { violations: [{ path: '/tools/0', reason: 'name_not_allowed' }] },
  },
  {
    name: 'tools.blockedFunctionNames: passes',
    parameters: { tools: { blockedFunctionNames: ['b'] } },
    request: asking({ tools: [functionTool('a')] }),
    verdict: true,
  },
  {
    name: 'tools.blockedFunctionNames: fails in the format of chats',
    parameters: { tools: { blockedFunctionNames: ['b'] } },
    request: asking({ tools: [functionTool('b')] }),
    verdict: false,
  },
  {
    name: 'tools.blockedFunctionNames: fails in the format of messages',
    parameters: { tools: { blockedFunctionNames: ['b'] } },
    endpoint: 'messages',
    request: asking({ tools: [{ name: 'b', input_schema: {} }] }),
    verdict: false,
  },
  {
    name: 'tools.blockedFunctionNames: fails in the format of responses',
    parameters: { tools: { blockedFunctionNames: ['b'] } },
    endpoint: 'createModelResponse',
    request: { input: 'x', tools: [{ type: 'function', name: 'b' }] },
    verdict: false,
  },
  {
    name: 'tools.blockedFunctionNames: fails in the older list',
    parameters: { tools: { blockedFunctionNames: ['b'] } },
    request: asking({ functions: [{ name: 'b' }] }),
    verdict: false,
    data: { violations: [{ path: '/functions/0', reason: 'name_blocked' }] },
  },
  {
    name: 'tools: looks into namespaces',
    parameters: { tools: { blockedFunctionNames: ['b'] } },
    request: asking({ tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'b' }] }] }),
    verdict: false,
    data: { violations: [{ path: '/tools/0/tools/0', reason: 'name_blocked' }] },
  },
  {
    name: 'tools: a tool without a type is a function',
    parameters: { tools: { allowedTypes: ['function'] } },
    endpoint: 'messages',
    request: asking({ tools: [{ name: 'b' }] }),
    verdict: true,
  },
  {
    name: 'params.allowedKeys: passes',
    parameters: { params: { allowedKeys: ['messages', 'model'] } },
    request: asking({ model: 'm' }),
    verdict: true,
  },
  {
    name: 'params.allowedKeys: fails',
    parameters: { params: { allowedKeys: ['messages'] } },
    request: asking({ 'a/b': 1 }),
    verdict: false,
    data: { violations: [{ path: '/a~1b', reason: 'key_not_allowed' }] },
  },
  {
    name: 'params.blockedKeys: passes',
    parameters: { params: { blockedKeys: ['logprobs'] } },
    request: asking({ model: 'm' }),
    verdict: true,
  },
  {
    name: 'params.blockedKeys: fails',
    parameters: { params: { blockedKeys: ['logprobs'] } },
    request: asking({ logprobs: true }),
    verdict: false,
    data: { violations: [{ path: '/logprobs', reason: 'key_blocked' }] },
  },
  {
    name: 'params.values: passes an allowed value',
    parameters: { params: { values: { stream: { allowedValues: [false] } } } },
    request: asking({ stream: false }),
    verdict: true,
  },
  {
    name: 'params.values: passes an absent key',
    parameters: { params: { values: { stream: { allowedValues: [false] } } } },
    request: asking({}),
    verdict: true,
  },
  {
    name: 'params.values: fails a value that is not allowed',
    parameters: { params: { values: { stream: { allowedValues: [false] } } } },
    request: asking({ stream: true }),
    verdict: false,
    data: { violations: [{ path: '/stream', reason: 'value_not_allowed' }] },
  },
  {
    name: 'params.values: fails a blocked value',
    parameters: { params: { values: { temperature: { blockedValues: [2] } } } },
    request: asking({ temperature: 2 }),
    verdict: false,
    data: { violations: [{ path: '/temperature', reason: 'value_blocked' }] },
  },
  {
    name: 'params.values: passes any other',
    parameters: { params: { values: { temperature: { blockedValues: [2] } } } },
    request: asking({ temperature: 1 }),
    verdict: true,
  },
  {
    name: 'params.values: looks at each item of a list',
    parameters: { params: { values: { modalities: { allowedValues: ['text'] } } } },
    request: asking({ modalities: ['text', 'audio'] }),
    verdict: false,
  },
  {
    name: 'params.values: an object is not an allowed value',
    parameters: { params: { values: { model: { allowedValues: ['a'] } } } },
    request: asking({ model: { name: 'a' } }),
    verdict: false,
  },
  {
    name: 'params.values: a slug does not hide a blocked model',
    parameters: { params: { values: { model: { blockedValues: ['big'] } } } },
    request: asking({ model: '@house/big' }),
    verdict: false,
  },
  {
    name: 'params.values: a slug does not hinder an allowed model',
    parameters: { params: { values: { model: { allowedValues: ['big'] } } } },
    request: asking({ model: '@house/big' }),
    verdict: true,
  },
  {
    name: 'refuses parameters without a rule',
    parameters: { tools: { allowedTypes: [] } },
    error: 'must contain at least one rule',
  },
  { name: 'refuses a rule that is misspelt', parameters: { params: { blocked: ['a'] } }, error: '/params' },
])

const metadata = { team: 'search', region: '' }

const requiredMetadataKeys = casesOf(
  'requiredMetadataKeys',
  [
    {
      name: 'all is the default: passes when every key is there',
      parameters: { metadataKeys: ['team'] },
      verdict: true,
      data: { found: ['team'], missing: [] },
    },
    {
      name: 'all: fails when one is missing',
      parameters: { metadataKeys: ['team', 'owner'], operator: 'all' },
      verdict: false,
      data: { found: ['team'], missing: ['owner'] },
    },
    {
      name: 'any: passes on one',
      parameters: { metadataKeys: ['team', 'owner'], operator: 'any' },
      verdict: true,
    },
    { name: 'any: fails on none', parameters: { metadataKeys: ['owner'], operator: 'any' }, verdict: false },
    {
      name: 'none: passes on none',
      parameters: { metadataKeys: ['owner'], operator: 'none' },
      verdict: true,
    },
    { name: 'none: fails on one', parameters: { metadataKeys: ['team'], operator: 'none' }, verdict: false },
    {
      name: 'does not take an empty value for one',
      parameters: { metadataKeys: ['region'] },
      verdict: false,
    },
    {
      name: 'does not take what every object has for a key',
      parameters: { metadataKeys: ['constructor'] },
      verdict: false,
    },
    { name: 'refuses an empty list', parameters: { metadataKeys: [] }, error: '/metadataKeys' },
  ],
  { metadata },
)

export const rows: readonly CheckCase[] = [
  ...modelRules,
  ...allowedRequestTypes,
  ...requestParametersCheck,
  ...requiredMetadataKeys,
]
