/**
 * The recipes of CONTRIBUTING.md as changes of the tree, a small example of each. They have no tests, and no pages and schemas
 * that commands write.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Recipe {
  /** New files, by path. */
  files: Readonly<Record<string, string>>
  /** Texts written before the first occurrence of another, by path. */
  lines: Readonly<Record<string, readonly Line[]>>
}

interface Line {
  before: string
  text: string
}

/** A file that `gateway new` writes. */
const template = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../core/cli/templates/${path}`, import.meta.url)), 'utf8')

const setting: Recipe = {
  files: {},
  lines: {
    'core/config-file/settings.ts': [
      {
        before: '    upload_limit: setting(',
        text: `    greeting: setting(text({ maxLength: 20 }), 'What the gateway says first.', { default: 'hello' }),\n`,
      },
    ],
  },
}

const settingOfRequests: Recipe = {
  files: {},
  lines: {
    'core/config-file/settings.ts': [
      {
        before: '    upload_limit: setting(',
        text: `    region: setting(text({ maxLength: 20 }), 'Where this gateway runs.', { default: 'here' }),\n`,
      },
    ],
  },
}

const resource: Recipe = {
  files: {
    'plugins/control-plane/workspaces/notices.ts': `/** Notices: texts that a workspace shows. */
import { Type } from '@sinclair/typebox'
import { defineResource } from '../engine/index.ts'

export type NoticeData = { text: string }

declare module '@gateway/domain' {
  interface DocumentDataByKind {
    notice: NoticeData
  }
}

export const notices = defineResource<NoticeData>({
  kind: 'notice',
  object: 'notice',
  title: 'notice',
  tag: 'Workspaces',
  operation: 'notice',
  path: '/notices',
  level: 'workspace',
  families: [{ family: 'notices' }],
  slug: null,
  fields: { text: { schema: Type.String({ minLength: 1, maxLength: 256 }), isRequired: true } },
})
`,
  },
  lines: {
    'plugins/control-plane/workspaces/index.ts': [
      { before: `import { workspaces } from`, text: `import { notices } from './notices.ts'\n` },
      { before: 'workspaces] })', text: 'notices, ' },
    ],
    'core/domain/access-table.ts': [
      { before: `  guarded(['configs']`, text: `  guarded(['notices'], crudl, 'Configs'),\n` },
    ],
  },
}

const endpoint: Recipe = {
  files: {
    'core/endpoints/poems.ts': `/** \`POST /v1/poems\`: a poem about a subject, by any provider of chat completions. */
import { isObject } from '@gateway/contract'
import { addText, type ClientDialect } from '@gateway/contract/dialect'
import { Type } from '@sinclair/typebox'
import { declareInference } from './declare-endpoint.ts'

const dialect: ClientDialect = {
  needsExtras: false,
  members: new Set(['model', 'subject']),
  request: ({ model = null, subject = '' }) => ({ model, messages: [{ role: 'user', content: subject }] }),
  answer({ choices, usage = null }) {
    const first = Array.isArray(choices) && isObject(choices[0]) ? choices[0] : {}
    return { poem: isObject(first.message) ? (first.message.content ?? '') : '', usage }
  },
  stream: () => ({ chunk: () => [], end: () => [] }),
}

export const poems = declareInference({
  id: 'createPoem',
  path: '/v1/poems',
  summary: 'Writes a poem',
  tag: 'Poems',
  request: Type.Object({ model: Type.Optional(Type.String()), subject: Type.String() }),
  answer: Type.Object({ poem: Type.String() }),
  requestTexts: ({ subject }, parts) => addText(subject, { role: 'user', path: '/subject', parts }),
  answerTexts: ({ poem }, parts) => addText(poem, { role: 'assistant', path: '/poem', parts }),
  translation: { kind: 'chat', needs: ['chatComplete'], dialect },
})
`,
  },
  lines: {
    'core/endpoints/endpoint-table.ts': [
      { before: 'import { proxy } from', text: `import { poems } from './poems.ts'\n` },
      { before: '  imageEdits,\n]', text: '  poems,\n' },
    ],
    'core/contract/endpoint.ts': [{ before: `  'imageEdit',\n`, text: `  'createPoem',\n` }],
  },
}

const provider: Recipe = {
  files: {},
  lines: {
    'providers/compatible/rows/retrieval.ts': [
      {
        before: `  {\n    name: 'jina'`,
        text: `  {
    name: 'contoso',
    title: 'Contoso',
    docs: 'https://contoso.example/docs',
    baseUrl: 'https://contoso.example/v1',
    endpoints: ['chatComplete'],
  },
`,
      },
    ],
  },
}

const check: Recipe = {
  files: {
    'plugins/default/max-words.ts': template('plugin/max-words.ts'),
  },
  lines: {
    'plugins/default/index.ts': [
      { before: 'import { modelRules }', text: `import { maxWords } from './max-words.ts'\n` },
      { before: '    redact,\n', text: '    maxWords,\n' },
    ],
  },
}

/** Its value is the setting of the recipe above. */
const logField: Recipe = {
  files: {},
  lines: {
    'core/contract/store/log-columns.ts': [
      {
        before: '  batch_id: {',
        text: `  region: { kind: 'name', description: 'Where the gateway runs that answered.' },\n`,
      },
    ],
    'core/observability/log-entry.ts': [
      { before: '    batch_id: transport', text: '    region: workspace.file.server.region,\n' },
    ],
  },
}

/** It shows the resource of the recipe above. */
const page: Recipe = {
  files: {
    'plugins/console/web/pages/notices/notices.tsx': `/** The notices of the workspace. */
import { urlOf } from '../../api.ts'
import { Page } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'

export function NoticesPage() {
  const { data, error, isBusy, reload } = useQuery(urlOf('/v1/notices', {}))
  return (
    <Page title="Notices" isBusy={isBusy} error={error} onRetry={reload} scopes={['notices.list']}>
      <Table
        caption="What everyone should know"
        rows={data?.data ?? []}
        columns={[{ name: 'text', label: 'Text', render: ({ text }) => text }]}
      />
    </Page>
  )
}
`,
  },
  lines: {
    'plugins/console/web/routes.tsx': [
      {
        before: '  scim: { all:',
        text: `  notices: { all: async () => (await import('./pages/notices/notices.tsx')).NoticesPage, one: null },\n`,
      },
    ],
    'plugins/console/web/shell.tsx': [
      {
        before: `      { path: 'scim',`,
        text: `      { path: 'notices', title: 'Notices', scopes: ['notices.list'] },\n`,
      },
    ],
  },
}

/** Recipes by their names in CONTRIBUTING.md. */
export const recipes = {
  'A setting of the config file': setting,
  'A setting that requests read': settingOfRequests,
  'A resource of the management API': resource,
  'An endpoint': endpoint,
  'A provider': provider,
  'A check': check,
  'A field of the request log': logField,
  'A page of the console': page,
} as const
