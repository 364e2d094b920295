/**
 * `GET /ai-providers`: the providers that integrations can use, each with the schema of its `configurations`, for
 * forms.
 */
import type { JsonObject, ProviderSummary, Route } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { listAnswer, type ManagementContext, nullable, pagingOf, plainRoute } from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'

const provider = Type.Object(
  {
    id: Type.String({ description: 'The value for `ai_provider_id` of an integration.' }),
    object: Type.Literal('ai-provider'),
    name: Type.String(),
    credential: Type.Union([Type.Literal('required'), Type.Literal('optional'), Type.Literal('none')], {
      description: 'Whether it requires a key or another credential.',
    }),
    configurations: nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The JSON Schema of its `configurations`. Null if it takes none.',
        },
      ),
    ),
    endpoints: Type.Array(Type.String()),
  },
  { title: 'AiProvider', additionalProperties: false },
)

const describe = ({ name, title, credential, configurations, endpoints }: ProviderSummary): JsonObject => ({
  id: name,
  object: 'ai-provider',
  name: title,
  credential,
  configurations: configurations === null ? null : JSON.parse(JSON.stringify(configurations)),
  endpoints: [...endpoints],
})

export const aiProviderRoutes = (context: ManagementContext<'providers'>): Route[] => [
  plainRoute(context, {
    method: 'GET',
    path: '/v1/ai-providers',
    operationId: 'aiProviderList',
    summary: 'Lists the providers that integrations can use',
    tag: 'Integrations',
    scope: [
      'organisation_integrations.list',
      'workspace_integrations.list',
      'organisation_integrations.create',
      'workspace_integrations.create',
    ],
    query: Type.Object({
      ...pageQuery.properties,
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    answer: Type.Object({
      object: Type.Literal('list'),
      total: Type.Integer(),
      current_page: Type.Integer(),
      page_size: Type.Integer(),
      has_more: Type.Boolean(),
      data: Type.Array(provider),
    }),
    audit: { action: 'list', resource_type: 'ai-provider' },
    async handle({ context: { providers }, query }) {
      const paging = pagingOf(query)
      const from = paging.current_page * paging.page_size
      const wanted = String(query.search ?? '').toLowerCase()
      const found = providers().filter(({ name, title }) =>
        `${name}\n${title}`.toLowerCase().includes(wanted),
      )
      const shown = found.slice(from, from + paging.page_size).map(describe)
      return listAnswer(shown, found.length, paging)
    },
  }),
]
