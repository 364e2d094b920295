/** A field of each kind, as a resource declares them. */
import type { FieldSpec } from '../../resources/declare.ts'

const options = [
  ['one', 'One'],
  ['two', 'Two'],
] as const

export const galleryFields: readonly FieldSpec[] = [
  { name: 'text', label: 'Text', kind: 'text', hint: 'With a hint.' },
  { name: 'model', label: 'Model', kind: 'text', proposes: 'models' },
  { name: 'area', label: 'Area', kind: 'area', initial: '[]' },
  { name: 'select', label: 'Select', kind: 'select', options, initial: 'one' },
  { name: 'number', label: 'Number', kind: 'number', initial: 5 },
  { name: 'list', label: 'List', kind: 'list', initial: ['one', 'two'] },
  { name: 'scopes', label: 'Choices', kind: 'list', choices: 'scopes', initial: ['logs.list'] },
  { name: 'time', label: 'Time', kind: 'time' },
  { name: 'workspace_id', label: 'Workspace', kind: 'workspace' },
  { name: 'config', label: 'Picker', kind: 'picker', picks: { api: '/v1/configs', value: 'slug' } },
  {
    name: 'rows',
    label: 'Rows',
    kind: 'rows',
    singular: 'row',
    parts: [
      { name: 'key', label: 'Key', kind: 'text', proposed: ['api_key'] },
      { name: 'value', label: 'Value', kind: 'lines' },
    ],
    initial: [{ key: 'api_key', value: '*' }],
  },
  {
    name: 'members',
    label: 'Members',
    kind: 'members',
    others: 'Other members',
    members: [
      { name: 'size', label: 'Size', kind: 'number', min: 0 },
      { name: 'is_on', label: 'On', kind: 'boolean', options: [['true', 'Yes']] },
    ],
    initial: { size: 3 },
  },
  {
    name: 'variables_schema',
    label: 'Variables',
    kind: 'variables',
    initial: { type: 'object', properties: { name: { type: 'string' } } },
  },
  { name: 'json', label: 'JSON', kind: 'json', initial: { small: true } },
  {
    name: 'checks',
    label: 'Editor',
    kind: 'json',
    schema: 'checks',
    initial: [{ id: 'default.contains' }],
  },
]
