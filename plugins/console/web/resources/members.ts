/** The fields of nested objects: model parameters, filters of exports, actions of guardrails. */
import { cacheOptions } from '../parts/cache-text.ts'
import { endpointOptions } from '../parts/endpoint-text.ts'
import type { MemberSpec, Options } from './declare.ts'

const yesNo: Options = [
  ['true', 'Yes'],
  ['false', 'No'],
]

/** https://platform.openai.com/docs/api-reference/chat/create */
export const modelParameters: readonly MemberSpec[] = [
  { name: 'temperature', label: 'Temperature', kind: 'number', min: 0, max: 2, hint: '0 to 2.' },
  { name: 'top_p', label: 'Top p', kind: 'number', min: 0, max: 1, hint: '0 to 1.' },
  {
    name: 'max_tokens',
    label: 'Max tokens',
    kind: 'number',
    isInteger: true,
    min: 1,
    hint: 'For reasoning models, use the next field.',
  },
  { name: 'max_completion_tokens', label: 'Max completion tokens', kind: 'number', isInteger: true, min: 1 },
  {
    name: 'frequency_penalty',
    label: 'Frequency penalty',
    kind: 'number',
    min: -2,
    max: 2,
    hint: '−2 to 2.',
  },
  { name: 'presence_penalty', label: 'Presence penalty', kind: 'number', min: -2, max: 2, hint: '−2 to 2.' },
  { name: 'seed', label: 'Seed', kind: 'number', isInteger: true },
  { name: 'n', label: 'Number of choices', kind: 'number', isInteger: true, min: 1, max: 128 },
  { name: 'reasoning_effort', label: 'Reasoning effort', kind: 'text', proposed: ['low', 'medium', 'high'] },
  { name: 'user', label: 'User', kind: 'text' },
  {
    name: 'tool_choice',
    label: 'Tool choice',
    kind: 'select',
    options: [
      ['auto', 'Auto'],
      ['none', 'None'],
      ['required', 'Required'],
    ],
  },
  { name: 'parallel_tool_calls', label: 'Parallel tool calls', kind: 'boolean', options: yesNo },
  { name: 'stop', label: 'Stop sequences', kind: 'lines', hint: 'One per line, at most 4.' },
  { name: 'tools', label: 'Tools', kind: 'json', schema: 'tools', hint: 'A JSON array of functions.' },
  {
    name: 'response_format',
    label: 'Response format',
    kind: 'json',
    hint: 'Such as {"type": "json_object"}.',
  },
]

const commas = 'Separate several with commas.'

export const exportFilters: readonly MemberSpec[] = [
  { name: 'workspace_id', label: 'Workspace', kind: 'text', isRare: true },
  { name: 'time_of_generation_min', label: 'From', kind: 'time' },
  { name: 'time_of_generation_max', label: 'To', kind: 'time' },
  {
    name: 'status_code',
    label: 'Status',
    kind: 'text',
    hint: 'Several are separated by commas, such as 500,502,503.',
    pattern: /^\d{3}(\s*,\s*\d{3})*$/,
    explain: 'Enter HTTP statuses of three digits, separated by commas.',
  },
  { name: 'ai_model', label: 'Model', kind: 'text', hint: commas },
  { name: 'virtual_keys', label: 'Provider', kind: 'text', hint: `The slug of a provider. ${commas}` },
  { name: 'configs', label: 'Config', kind: 'text', hint: `The slug of a config. ${commas}` },
  { name: 'prompt_slug', label: 'Prompt', kind: 'text', hint: `The slug of a prompt. ${commas}` },
  { name: 'api_key_ids', label: 'Key', kind: 'text', hint: `The ID of an API key. ${commas}` },
  {
    name: 'endpoint_type',
    label: 'Endpoint',
    kind: 'select',
    options: endpointOptions,
  },
  {
    name: 'cache_status',
    label: 'Cache',
    kind: 'select',
    options: cacheOptions,
  },
  { name: 'trace_id', label: 'Trace', kind: 'text', hint: commas },
  { name: 'search', label: 'Text', kind: 'text', hint: 'Occurs in the request or the answer.' },
  { name: 'cost_min', label: 'Cost, at least', kind: 'number', min: 0, hint: 'In US cents.' },
  { name: 'cost_max', label: 'Cost, at most', kind: 'number', min: 0, hint: 'In US cents.' },
  { name: 'total_units_min', label: 'Tokens, at least', kind: 'number', min: 0 },
  { name: 'total_units_max', label: 'Tokens, at most', kind: 'number', min: 0 },
  {
    name: 'page_size',
    label: 'Maximum entries',
    kind: 'number',
    isInteger: true,
    min: 1,
    max: 50_000,
    hint: 'At most 50,000.',
  },
  { name: 'metadata', label: 'Metadata', kind: 'json', hint: 'Such as {"team": "shop"}.' },
]

const feedback = (outcome: 'on_success' | 'on_fail', label: string): readonly MemberSpec[] => [
  {
    name: `${outcome}/feedback/value`,
    label: `${label}: value`,
    kind: 'number',
    startsLine: true,
    isInteger: true,
    min: -10,
    max: 10,
    hint: 'Of the feedback: −10 to 10.',
  },
  {
    name: `${outcome}/feedback/weight`,
    label: `${label}: weight`,
    kind: 'number',
    min: 0,
    max: 1,
    hint: 'Of the feedback: 0 to 1.',
  },
  {
    name: `${outcome}/feedback/metadata`,
    label: `${label}: metadata`,
    kind: 'json',
    hint: 'A JSON object, stored with the feedback.',
  },
]

export const guardrailActions: readonly MemberSpec[] = [
  {
    name: 'deny',
    label: 'Deny',
    kind: 'boolean',
    options: yesNo,
    hint: 'Refuses what fails the checks. If not set, the checks decide.',
  },
  {
    name: 'async',
    label: 'Async',
    kind: 'boolean',
    options: yesNo,
    hint: 'Runs the checks without delaying the request; nothing is denied.',
  },
  ...feedback('on_success', 'On success'),
  ...feedback('on_fail', 'On fail'),
]
