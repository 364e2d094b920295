/** Routes of organisations: the caller's own under two paths, its defaults, and new ones with the admin key. */

import {
  faultsError,
  isGatewayError,
  isObject,
  type JsonObject,
  type Route,
  type ServiceAnswer,
} from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  answerOne,
  bodyObject,
  type Call,
  type CompiledResource,
  checkOrganisation,
  compileResource,
  listAnswer,
  listSchema,
  type ManagementContext,
  pagingOf,
  plainRoute,
  present,
  readDocument,
  serve,
  updateDocument,
} from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'
import { createOrganisationRoute } from './create.ts'
import { liftSettings, organisation, sentPath } from './organisation.ts'

const singular = { path: '/v1/organisation', aliases: ['/v1/admin/organisation'] }
const one = { path: '/v1/organisations/:id', aliases: [] as string[] }
const audit = (action: string) => ({ action, resource_type: 'organisation' })
const tag = 'Organisations'
const read = 'organisation_settings.read'
const update = 'organisation_settings.update'

/** The capabilities that the resource's hooks use. */
type Need = 'checkUrl' | 'isAddressRange'

export function organisationRoutes(context: ManagementContext<Need | 'email' | 'publicUrl'>): Route[] {
  const compiled = compileResource(organisation, context)
  const { answer } = compiled
  const named = [
    { ...singular, verb: 'own', summary: 'the caller’s organisation' },
    { ...one, verb: '', summary: 'an organisation' },
  ]
  return [
    plainRoute(context, {
      method: 'GET',
      path: '/v1/organisations',
      operationId: 'organisationList',
      summary: 'Lists the organisations of the caller',
      tag,
      scope: read,
      query: pageQuery,
      answer: listSchema(compiled.answer),
      audit: audit('list'),
      handle: listOwn,
    }),
    createOrganisationRoute(context, compiled.answer),
    ...named.flatMap(({ path, aliases, verb, summary }) => [
      serve(context, {
        method: 'GET',
        path,
        aliases,
        operationId: verb === '' ? 'organisationRead' : 'organisationReadOwn',
        summary: `Returns ${summary}`,
        tag,
        scope: read,
        answer,
        audit: audit('read'),
        run: (call) => readDocument(organisation, call, nameOf(call)),
      }),
      ...(['PUT', 'PATCH'] as const).map((method) =>
        serve(context, {
          method,
          path,
          aliases,
          operationId: `organisation${method === 'PUT' ? 'Update' : 'Patch'}${verb === '' ? '' : 'Own'}`,
          summary: `Changes ${summary}; omitted fields keep their values`,
          tag,
          scope: update,
          body: compiled.update,
          answer,
          audit: audit('update'),
          run: (call) => updateLifted(compiled, call),
        }),
      ),
    ]),
    ...defaultsRoutes(compiled, context),
  ]
}

/**
 * The id or slug in the path. Only the caller's own organisation is looked up, because slugs are unique among all of
 * them.
 */
function nameOf(call: Call): string {
  const { id } = call.request.params
  return id ?? call.organisationId
}

async function listOwn(call: Call<Need>): Promise<JsonObject> {
  await call.require([read], null)
  const paging = pagingOf(call.query)
  const own = paging.current_page === 0 ? [await call.organisation()] : []
  return listAnswer(
    await Promise.all(own.map((one) => present(organisation, one, { call, view: 'one' }))),
    1,
    paging,
  )
}

/** Moves settings from the root of the body to their place. Errors have the paths that the caller sent. */
function updateLifted(compiled: CompiledResource<Need>, call: Call<Need>): Promise<ServiceAnswer> {
  const name = nameOf(call)
  if (!isObject(call.sent)) return updateDocument(compiled, call, { name })
  const sent = call.sent as JsonObject
  return withPaths(
    (path) => sentPath(sent, path),
    () => updateDocument(compiled, call, { name, sent: liftSettings(sent) }),
  )
}

async function withPaths<Result>(
  pathOf: (path: string) => string,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!isGatewayError(error) || error.details === null) throw error
    throw faultsError(error.details.map((fault) => ({ ...fault, param: pathOf(fault.param) })))
  }
}

const defaultsAnswer = Type.Object({}, { additionalProperties: true })

function defaultsRoutes(compiled: CompiledResource<Need>, context: ManagementContext<Need>): Route[] {
  const common = {
    path: '/v1/organisation/defaults',
    aliases: ['/v1/admin/organisation/defaults'],
    tag,
    answer: defaultsAnswer,
  }
  return [
    serve(context, {
      ...common,
      method: 'GET',
      operationId: 'organisationDefaultsRead',
      summary: 'Returns the defaults of the organisation',
      scope: read,
      audit: audit('read'),
      async run(call) {
        await call.require([read], null)
        await checkOrganisation(call, call.request.query.organisation_id, 'query/organisation_id')
        return answerDefaults(call)
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) =>
      serve(context, {
        ...common,
        method,
        operationId: `organisationDefaults${method === 'PUT' ? 'Update' : 'Patch'}`,
        summary: 'Changes the defaults of the organisation; omitted fields keep their values',
        scope: update,
        body: compiled.update.properties.defaults,
        audit: audit('update'),
        async run(call) {
          await call.require([update], null)
          const body = bodyObject(call.sent)
          const defaults = Object.keys(body).length === 0 ? {} : { defaults: withNames(body) }
          await withPaths(
            (path) => path.replace(/^\/defaults/, ''),
            () => updateDocument(compiled, call, { name: call.organisationId, sent: defaults }),
          )
          return answerDefaults(call)
        },
      }),
    ),
  ]
}

const phases = ['input_guardrails', 'output_guardrails'] as const

/** Guardrails in the form of answers (`{id, slug}`) are accepted and identified by their ids. */
function withNames(body: JsonObject): JsonObject {
  const named = { ...body }
  for (const phase of phases) {
    const given = named[phase]
    if (Array.isArray(given)) {
      named[phase] = given.map((item) => (isObject(item) && typeof item.id === 'string' ? item.id : item))
    }
  }
  return named
}

async function answerDefaults(call: Call): Promise<ServiceAnswer> {
  const document = await call.organisation()
  const defaults: JsonObject = { ...document.data.defaults }
  for (const phase of phases) {
    const names = document.data.defaults[phase] ?? null
    if (names === null) continue
    defaults[phase] = await Promise.all(
      names.map(async (name) => {
        const guardrail = await call.find(kinds.guardrail, name, call.organisationId)
        return { id: guardrail?.id ?? name, slug: guardrail?.slug ?? null }
      }),
    )
  }
  return answerOne(call.request, document.version, defaults)
}
