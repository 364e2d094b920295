/**
 * Cases of the checks that look at other parts of the request than texts: modelWhitelist, requiredMetadataKeyPairs,
 * webhook.
 */

import type { JsonObject } from '@gateway/contract'
import { type CheckCase, casesOf } from '@gateway/testing'

const asking = (model?: string): JsonObject => ({ model, messages: [{ role: 'user', content: 'Hi' }] })

const models = ['gpt-4o', 'claude-*']

const named: [string | undefined, boolean][] = [
  ['gpt-4o', true],
  ['gpt-4o-mini', false],
  ['GPT-4O', false],
  ['claude-3-5-haiku', true],
  ['@house/gpt-4o', true],
  ['@house/gpt-4', false],
  [undefined, false],
]

const modelWhitelist = named.flatMap(([model, listed]) =>
  [false, true].map((not) => ({
    name: `${model} is ${listed ? '' : 'not '}on the list${not ? ', not' : ''}`,
    check: 'modelWhitelist',
    parameters: { models, not },
    request: asking(model),
    verdict: listed !== not,
    data: { path: '/model', listed },
  })),
)

const metadata = { team: 'search', region: 'eu-west-1', labels: 'alpha,beta,gamma' }

const requiredMetadataKeyPairs = casesOf(
  'requiredMetadataKeyPairs',
  [
    {
      name: 'all is the default: passes when every pair is there',
      parameters: { metadataPairs: { team: 'search', region: 'eu-west-1' } },
      verdict: true,
      data: { matched: ['team', 'region'], unmatched: [] },
    },
    {
      name: 'all: fails when one differs',
      parameters: { metadataPairs: { team: 'search', region: 'eu' }, operator: 'all' },
      verdict: false,
      data: { matched: ['team'], unmatched: ['region'] },
    },
    {
      name: 'all: fails when a key is missing',
      parameters: { metadataPairs: { owner: 'search' } },
      verdict: false,
    },
    {
      name: 'any: passes when one pair is there',
      parameters: { metadataPairs: { team: 'search', region: 'eu' }, operator: 'any' },
      verdict: true,
    },
    {
      name: 'any: fails when no pair is there',
      parameters: { metadataPairs: { team: 'x', region: 'y' }, operator: 'any' },
      verdict: false,
    },
    {
      name: 'none: passes when no pair is there',
      parameters: { metadataPairs: { team: 'x' }, operator: 'none' },
      verdict: true,
    },
    {
      name: 'none: fails when one is',
      parameters: { metadataPairs: { team: 'search', region: 'y' }, operator: 'none' },
      verdict: false,
    },
    {
      name: 'exact: wants the whole value',
      parameters: { metadataPairs: { team: 'sear' }, matchType: 'exact' },
      verdict: false,
    },
    {
      name: 'contains: a part is enough',
      parameters: { metadataPairs: { team: 'sear' }, matchType: 'contains' },
      verdict: true,
    },
    {
      name: 'contains: fails without the part',
      parameters: { metadataPairs: { team: 'seat' }, matchType: 'contains' },
      verdict: false,
    },
    {
      name: 'containsAll: takes a list',
      parameters: { metadataPairs: { labels: ['gamma', 'alpha'] }, matchType: 'containsAll' },
      verdict: true,
    },
    {
      name: 'containsAll: takes a text with commas',
      parameters: { metadataPairs: { labels: 'gamma, alpha' }, matchType: 'containsAll' },
      verdict: true,
    },
    {
      name: 'containsAll: fails when one item is missing',
      parameters: { metadataPairs: { labels: ['gamma', 'delta'] }, matchType: 'containsAll' },
      verdict: false,
    },
    {
      name: 'regex: passes on a match',
      parameters: { metadataPairs: { region: '^eu-(west|north)-\\d$' }, matchType: 'regex' },
      verdict: true,
    },
    {
      name: 'regex: fails without a match',
      parameters: { metadataPairs: { region: '^us-' }, matchType: 'regex' },
      verdict: false,
    },
    {
      name: 'does not take what every object has for metadata',
      parameters: { metadataPairs: { constructor: 'Object' }, matchType: 'contains' },
      verdict: false,
    },
    {
      name: 'refuses a broken rule',
      parameters: { metadataPairs: { region: '(' }, matchType: 'regex' },
      error: 'not a valid pattern',
    },
    {
      name: 'refuses a list where one value is meant',
      parameters: { metadataPairs: { region: ['a'] }, matchType: 'exact' },
      error: 'metadataPairs/region',
    },
    {
      name: 'refuses an empty item',
      parameters: { metadataPairs: { region: 'a,' }, matchType: 'containsAll' },
      error: 'empty item',
    },
  ],
  { metadata },
)

const answering = (json: unknown, status = 200) => ({
  fetchJson: () => Promise.resolve({ status, headers: {}, json }),
})
const parameters = { webhookURL: 'https://judge.example/v1' }

const webhook = casesOf(
  'webhook',
  [
    {
      name: 'passes on the webhook’s word, with its data',
      text: 'hello there',
      io: answering({ verdict: true, data: { score: 1 } }),
      verdict: true,
      data: { score: 1 },
      transformedText: null,
    },
    {
      name: 'fails on the webhook’s word',
      text: 'hello there',
      io: answering({ verdict: false }),
      verdict: false,
    },
    {
      name: 'takes a changed request',
      text: 'secret',
      io: answering({
        verdict: true,
        transformedData: { request: { json: asking('m') }, response: { json: {} } },
      }),
      verdict: true,
      transformed: asking('m'),
    },
    {
      name: 'takes a changed answer',
      phase: 'after',
      text: 'secret',
      io: answering({
        verdict: true,
        transformedData: { response: { json: { choices: [{ message: { content: 'public' } }] } } },
      }),
      verdict: true,
      transformedText: 'public',
    },
    {
      name: 'does not change an answer when only the request is changed',
      phase: 'after',
      text: 'fine',
      io: answering({ verdict: true, transformedData: { request: { json: {} } } }),
      verdict: true,
      transformedText: null,
    },
    {
      name: 'fails as an error on a status that is not 2xx',
      io: answering({ verdict: true }, 500),
      error: '500',
    },
    { name: 'fails as an error on a redirect', io: answering({ verdict: true }, 302), error: '302' },
    {
      name: 'fails as an error on a verdict that is not boolean',
      io: answering({ verdict: 'true' }),
      error: 'no boolean verdict',
    },
    { name: 'fails as an error on an answer without JSON', io: answering(null), error: 'no boolean verdict' },
    {
      name: 'reports an error for an invalid changed body',
      io: answering({ verdict: true, transformedData: { request: { json: 'text' } } }),
      error: 'transformedData.request.json',
    },
    {
      name: 'fails as an error when the call fails',
      io: { fetchJson: () => Promise.reject(new Error('timed out')) },
      error: 'timed out',
    },
    { name: 'refuses what is not a URL', parameters: { webhookURL: 'https://' }, error: 'webhookURL' },
    { name: 'refuses other protocols', parameters: { webhookURL: 'file:///etc' }, error: '/webhookURL' },
    {
      name: 'refuses a header that would break the request',
      parameters: { ...parameters, headers: { 'x-key': 'a\r\nb: c' } },
      error: '/headers/x-key',
    },
    { name: 'refuses a timeout of nothing', parameters: { ...parameters, timeout: 0 }, error: '/timeout' },
  ],
  { parameters },
)

export const rows: readonly CheckCase[] = [...modelWhitelist, ...requiredMetadataKeyPairs, ...webhook]
