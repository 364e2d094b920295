/** The routes of a resource: the standard ones and its extra ones. */
import {
  type Capabilities,
  type Capability,
  faultsError,
  isObject,
  type Json,
  type JsonObject,
  type Route,
  type ServiceAnswer,
  type ServiceContext,
} from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'
import { archiveDocument } from './archive.ts'
import type { Call, ManagementContext } from './call.ts'
import { type CompiledResource, compileResource } from './compiled.ts'
import { createDocument } from './create.ts'
import { checkOrganisation } from './create-call.ts'
import { placeOf, requireSomewhere, scopesFor } from './families.ts'
import { listResource } from './list.ts'
import { locate } from './locate.ts'
import { createQueryReader } from './query.ts'
import { readDocument } from './read.ts'
import { type ExtraRoute, type Resource, registerResource } from './resource.ts'
import { deletedSchema, oneQuerySchema } from './schemas.ts'
import { type ServedRoute, serve } from './serve.ts'
import { trimStrings } from './trim.ts'
import { updateDocument } from './update.ts'
import { untilUncontested } from './versions.ts'
import { withArticle } from './with-article.ts'

type Operation = NonNullable<Resource['operations']>[number]

export function routesOf<Need extends Capability>(
  declared: Resource<JsonObject, Need>,
  context: ManagementContext<Need>,
): Route[] {
  // The engine passes the context on unchanged, with the capabilities that the hooks need.
  const resource = declared as Resource
  registerResource(context, resource)
  return declaredRoutes(resource, context).map((route) => serve(context, route))
}

type Validating = ServiceContext<'validator'>

/** Routes depend on the resource and the validator alone: a second gateway in the process serves the same ones. */
const routesByValidator = new WeakMap<Validating['validator'], WeakMap<Resource, readonly ServedRoute[]>>()

function declaredRoutes(resource: Resource, context: Validating): readonly ServedRoute[] {
  const known = routesByValidator.get(context.validator) ?? new WeakMap<Resource, readonly ServedRoute[]>()
  routesByValidator.set(context.validator, known)
  const routes = known.get(resource) ?? makeRoutes(resource, context)
  known.set(resource, routes)
  return routes
}

function makeRoutes(resource: Resource, context: Validating): ServedRoute[] {
  const compiled = compileResource(resource, context)
  const { operations = ['create', 'list', 'read', 'update', 'delete'] } = resource
  // Extra routes come first: otherwise `invites` in `/users/invites` would be matched as an id.
  return [
    ...(resource.routes ?? []).map((route) => extraRoute(compiled, route, context)),
    ...operations.flatMap((operation) => usualRoutes[operation](compiled, context)),
  ]
}

const rootsOf = ({ path, aliases = [] }: Resource) => [`/v1${path}`, ...aliases]

/** A route's path below each root path of its resource. */
function paths(resource: Resource, below: string): { path: string; aliases: string[] } {
  const [path = '', ...aliases] = rootsOf(resource).map((root) => root + below)
  return { path, aliases }
}

/** The members that the routes of all operations have. */
const described = (
  resource: Resource,
  verb: string,
  { action, summary }: { action: string; summary: string },
) => ({
  operationId: `${resource.operation}${verb}`,
  summary,
  tag: resource.tag,
  scope: scopesFor(resource, [action]),
  audit: { action, resource_type: resource.object },
})

const idOf = (call: Call) => call.request.params.id ?? ''

type RouteMaker = (compiled: CompiledResource, context: Validating) => ServedRoute[]

const usualRoutes: Readonly<Record<Operation, RouteMaker>> = {
  create: (compiled) => {
    const { resource, answer } = compiled
    return [
      {
        ...paths(resource, ''),
        ...described(resource, 'Create', {
          action: 'create',
          summary: `Creates ${withArticle(resource.title)}`,
        }),
        method: 'POST',
        body: compiled.createDocument,
        answer: resource.createAnswer?.schema ?? answer,
        run: (call) => createDocument(compiled, call),
      },
    ]
  },
  list: (compiled, context) => {
    const { resource } = compiled
    const read = createQueryReader(compiled.listQuery, context)
    return [
      {
        ...paths(resource, ''),
        ...described(resource, 'List', {
          action: 'list',
          summary: `Lists every ${resource.title} that the caller may see`,
        }),
        method: 'GET',
        query: compiled.listQuery,
        answer: compiled.list,
        run: (call) => listResource(compiled, call, read),
      },
    ]
  },
  read: (compiled, context) => {
    const { resource, answer } = compiled
    const read = createQueryReader(compiled.readQuery, context)
    return [
      {
        ...paths(resource, '/:id'),
        ...described(resource, 'Read', { action: 'read', summary: `Returns ${withArticle(resource.title)}` }),
        method: 'GET',
        query: compiled.readQuery,
        answer,
        async run(call) {
          await requireSomewhere(call, scopesFor(resource, ['read']))
          call.query = read(call.request.query)
          return readDocument(resource, call, idOf(call))
        },
      },
    ]
  },
  update: (compiled) => {
    const { resource, answer } = compiled
    return (['PUT', 'PATCH'] as const).map((method) => ({
      ...paths(resource, '/:id'),
      ...described(resource, method === 'PUT' ? 'Update' : 'Patch', {
        action: 'update',
        summary: `Changes ${withArticle(resource.title)}; omitted fields keep their values`,
      }),
      method,
      body: compiled.update,
      query: oneQuerySchema,
      answer,
      run: (call) => updateDocument(compiled, call, { name: idOf(call) }),
    }))
  },
  delete: ({ resource }) => [
    {
      ...paths(resource, '/:id'),
      ...described(resource, 'Delete', {
        action: 'delete',
        summary: `Archives ${withArticle(resource.title)}`,
      }),
      method: 'DELETE',
      isBodyOptional: true,
      query: oneQuerySchema,
      answer: deletedSchema(resource.object),
      run: (call) => archiveDocument(resource, call, idOf(call)),
    },
  ],
}

function extraRoute(
  compiled: CompiledResource,
  route: ExtraRoute<JsonObject>,
  context: Validating,
): ServedRoute {
  const { resource } = compiled
  const hasId = route.path.includes('/:id')
  const actions = route.action === null ? [] : [route.action].flat()
  const scopes = route.scopes ?? scopesFor(resource, actions)
  const takesBody = route.method !== 'GET' && (route.method !== 'DELETE' || route.body !== undefined)
  const bodySchema = route.body ?? noBody
  const check = takesBody ? context.validator(bodySchema, 'invalid_body') : null
  const read = route.query === undefined ? null : createQueryReader(route.query, context)
  const isBodyOptional = route.isBodyOptional ?? (route.method === 'POST' && hasId)
  const optional = (
    name: 'description' | 'example' | 'body' | 'query' | 'answer' | 'bodyLimit' | 'listener',
  ) => (route[name] === undefined ? {} : { [name]: route[name] })
  return {
    ...paths(resource, route.path),
    method: route.method,
    operationId: route.operationId,
    summary: route.summary,
    ...optional('description'),
    ...optional('example'),
    tag: resource.tag,
    scope: scopes.length === 0 ? null : scopes,
    isBodyOptional: isBodyOptional || (route.body === undefined && route.method !== 'GET'),
    ...optional('body'),
    ...optional('bodyLimit'),
    ...optional('listener'),
    ...optional('query'),
    ...optional('answer'),
    audit: { action: route.auditAction ?? lastWord(route.path), resource_type: resource.object },
    // Any extra route that writes may be overtaken.
    run: (call) => untilUncontested(call, resource.title, () => runOnce(call)),
  }

  async function runOnce(call: Call): Promise<ServiceAnswer> {
    if (scopes.length > 0) await requireSomewhere(call, scopes)
    await checkOrganisation(call, call.request.query.organisation_id, 'query/organisation_id')
    const sent = takesBody ? await takeSelectors(resource, call, bodySchema) : {}
    const document = hasId
      ? await locate(resource, call, {
          actions,
          name: call.request.params.id ?? '',
          ...(route.findsArchived === true ? { archived: 'also' as const } : {}),
        })
      : null
    if (document !== null && route.scopes !== undefined) {
      await call.require(route.scopes, placeOf(resource, document))
    }
    if (document !== null) await resource.hooks?.authorise?.(call, actions[0] ?? 'read', document)
    if (read !== null) call.query = read(call.request.query)
    if (check !== null) call.body = readBody(sent, bodySchema, check)
    // Without `:id` a route's handler takes no document.
    return toAnswer(await route.handle(call, document as Parameters<typeof route.handle>[1]))
  }
}

/** The body schema of actions without input. */
const noBody = Type.Object({}, { additionalProperties: false })

/** The body without `workspace_id` and `organisation_id`, unless the route's schema has members of these names. */
async function takeSelectors(resource: Resource, call: Call, schema: TSchema): Promise<unknown> {
  const body = call.sent
  const own: unknown = schema.properties
  if (!isObject(body) || !isObject(own)) return body
  if (body.organisation_id === undefined && body.workspace_id === undefined) return body
  const isSelector = (name: string) => body[name] !== undefined && own[name] === undefined
  const { organisation_id, workspace_id, ...rest } = body
  const sent: Record<string, unknown> = rest
  if (isSelector('organisation_id')) await checkOrganisation(call, organisation_id, '/organisation_id')
  else if (organisation_id !== undefined) sent.organisation_id = organisation_id
  if (isSelector('workspace_id') && resource.level !== 'organisation' && typeof workspace_id === 'string')
    call.namedInBody = workspace_id.trim()
  else if (workspace_id !== undefined) sent.workspace_id = workspace_id
  return sent
}

function readBody(
  sent: unknown,
  schema: TSchema,
  check: NonNullable<ReturnType<Capabilities['validator']>>,
): JsonObject {
  const trimmed = trimStrings(sent, schema)
  const faults = check(trimmed)
  if (faults.length > 0) throw faultsError(faults)
  // Members of a JSON object are JSON.
  return isObject(trimmed) ? (trimmed as JsonObject) : {}
}

export const toAnswer = (result: Json | ServiceAnswer): ServiceAnswer =>
  isServiceAnswer(result) ? result : { status: 200, body: result }

/** A handler that sets a status returns the complete answer: no object on the wire has a numeric status and a body. */
const isServiceAnswer = (result: Json | ServiceAnswer): result is ServiceAnswer =>
  isObject(result) && typeof result.status === 'number' && 'body' in result

const lastWord = (path: string) =>
  path.split('/').findLast((word) => word !== '' && !word.startsWith(':')) ?? 'act'
