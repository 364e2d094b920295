/** Discovery, and answers for unsupported parts of SCIM (management contract, section 9). */
import type { JsonObject, Route, ServiceAnswer } from '@gateway/contract'
import { type Call, type ManagementContext, notFound } from '@gateway/control-plane/engine'
import { errorSchema, invalid } from '../protocol/errors.ts'
import { groupType } from '../protocol/group-schema.ts'
import { listResponse } from '../protocol/paging.ts'
import { locationOf, scimAnswer, scimRoute } from '../protocol/route.ts'
import { userType } from '../protocol/user-schema.ts'
import { providerConfig, resourceTypeDocument, schemaDocument } from './documents.ts'

const types = [userType, groupType]
const schemas = types.flatMap(({ schema, extensions }) => [schema, ...extensions])

const locate = (call: Call<'publicUrl'>) => (path: string) => locationOf(call, path)

/** These lists are complete: a filter on them is refused, as RFC 7644 section 4 requires. */
function listAnswer(call: Call, resources: JsonObject[]) {
  if (call.request.query.filter !== undefined) {
    throw invalid('invalidFilter', 'These lists do not support a filter.')
  }
  return scimAnswer(listResponse(resources.length, { startIndex: 1 }, resources))
}

/** Parts of the standard that this service does not support. */
const notSupported = (what: string): ServiceAnswer =>
  scimAnswer({ schemas: [errorSchema], status: '501', detail: `${what} is not supported.` }, 501)

export function discoveryRoutes(context: ManagementContext<'publicUrl'>): Route[] {
  return [
    scimRoute(context, {
      method: 'POST',
      path: '/Bulk',
      operationId: 'scimBulk',
      summary: 'Answers that bulk requests are not supported',
      hasBody: true,
      audit: { action: 'update', resource_type: 'scim' },
      handle: async () => notSupported('/Bulk'),
    }),
    scimRoute(context, {
      method: 'GET',
      path: '/Me',
      operationId: 'scimMe',
      summary: 'Answers that the alias `/Me` is not supported, because a token belongs to no user',
      handle: async () => notSupported('/Me'),
    }),
    scimRoute(context, {
      method: 'GET',
      path: '/ServiceProviderConfig',
      operationId: 'scimServiceProviderConfig',
      summary: 'Returns the supported parts of SCIM',
      handle: async (call) => scimAnswer(providerConfig(locate(call))),
    }),
    scimRoute(context, {
      method: 'GET',
      path: '/ResourceTypes',
      operationId: 'scimResourceTypeList',
      summary: 'Lists the resource types',
      handle: async (call) =>
        listAnswer(
          call,
          types.map((type) => resourceTypeDocument(type, locate(call))),
        ),
    }),
    scimRoute(context, {
      method: 'GET',
      path: '/ResourceTypes/:id',
      operationId: 'scimResourceTypeRead',
      summary: 'Returns a resource type',
      async handle(call) {
        const found = types.find(({ name }) => name === call.request.params.id)
        if (found === undefined) throw notFound('path/id', 'resource type')
        return scimAnswer(resourceTypeDocument(found, locate(call)))
      },
    }),
    scimRoute(context, {
      method: 'GET',
      path: '/Schemas',
      operationId: 'scimSchemaList',
      summary: 'Lists the schemas of resources',
      handle: async (call) =>
        listAnswer(
          call,
          schemas.map((schema) => schemaDocument(schema, locate(call))),
        ),
    }),
    scimRoute(context, {
      method: 'GET',
      path: '/Schemas/:id',
      operationId: 'scimSchemaRead',
      summary: 'Returns a schema',
      async handle(call) {
        const found = schemas.find(({ id }) => id.toLowerCase() === call.request.params.id?.toLowerCase())
        if (found === undefined) throw notFound('path/id', 'schema')
        return scimAnswer(schemaDocument(found, locate(call)))
      },
    }),
  ]
}
