/** The catalogue of checks that guardrails can use, with their descriptions and parameter schemas (section 13). */

import type { CheckSummary, JsonObject } from '@gateway/contract'
import { GatewayError } from '@gateway/contract'
import type { GuardrailData } from '@gateway/domain'
import { unknownName } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type ExtraRoute, listAnswer, pagingOf } from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'

const schemaObject = Type.Object(
  {},
  { additionalProperties: true, description: 'The JSON Schema of the check’s parameters.' },
)

const checkAnswer = Type.Object(
  {
    id: Type.String({ description: 'The id in guardrails and configs: plugin.check.' }),
    object: Type.Literal('guardrail-check'),
    name: Type.String(),
    description: Type.String(),
    type: Type.Union([Type.Literal('guardrail'), Type.Literal('mutator')]),
    hooks: Type.Array(Type.Union([Type.Literal('beforeRequestHook'), Type.Literal('afterRequestHook')])),
    parameters: schemaObject,
    default_deny: Type.Boolean(),
    credentials: Type.Union([schemaObject, Type.Null()]),
    source: Type.Object({ plugin: Type.String(), version: Type.String() }),
  },
  { title: 'CheckDescription' },
)

export const guardrailRoutes: ExtraRoute<GuardrailData, 'checks'>[] = [
  {
    method: 'GET',
    path: '/checks',
    operationId: 'guardrailCheckList',
    summary: 'Lists the available checks',
    action: 'list',
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
      data: Type.Array(checkAnswer),
    }),
    async handle({ context, query }) {
      const paging = pagingOf(query)
      const from = paging.current_page * paging.page_size
      const wanted = String(query.search ?? '').toLowerCase()
      const found = context.checks().filter(({ id, name }) => `${id}\n${name}`.toLowerCase().includes(wanted))
      const shown = found.slice(from, from + paging.page_size).map(describe)
      return listAnswer(shown, found.length, paging)
    },
  },
  {
    method: 'GET',
    path: '/checks/:checkId',
    operationId: 'guardrailCheckRead',
    summary: 'Returns the description of a check',
    action: 'list',
    answer: checkAnswer,
    async handle({ context, request }) {
      const written = request.params.checkId ?? ''
      const id = written.includes('.') ? written : `default.${written}`
      const checks = context.checks()
      const found = checks.find((check) => check.id === id)
      if (found !== undefined) return describe(found)
      const message = unknownName({ what: 'check', written: id, known: checks.map((check) => check.id) })
      throw new GatewayError('not_found', message, { param: 'path/checkId' })
    },
  },
]

const describe = ({ id, source, ...check }: CheckSummary): JsonObject => ({
  id,
  object: 'guardrail-check',
  ...check,
  hooks: [...check.hooks],
  source: { ...source },
})
