/** Creation of API keys by the class in the path: `POST /api-keys/{organisation or workspace}/{service or user}`. */

import { GatewayError, type KeyClass, type Route } from '@gateway/contract'
import {
  compileResource,
  createDocument,
  type ManagementContext,
  serve,
  withArticle,
} from '../engine/index.ts'
import { apiKeys } from './resource.ts'

const classes: readonly { path: string; keyClass: KeyClass | null; operationId: string; family: string }[] = [
  {
    path: '/organisation/service',
    keyClass: 'organisation-service',
    operationId: 'apiKeyCreateOrganisationService',
    family: 'organisation_service_api_keys',
  },
  {
    path: '/workspace/service',
    keyClass: 'workspace-service',
    operationId: 'apiKeyCreateWorkspaceService',
    family: 'workspace_service_api_keys',
  },
  {
    path: '/workspace/user',
    keyClass: 'workspace-user',
    operationId: 'apiKeyCreateWorkspaceUser',
    family: 'workspace_user_api_keys',
  },
  // Registered only for its error: a request for this class gets an explanation, which an unknown path would not give.
  {
    path: '/organisation/user',
    keyClass: null,
    operationId: 'apiKeyCreateOrganisationUser',
    family: 'organisation_service_api_keys',
  },
]

export function apiKeyRoutes(
  context: ManagementContext<'counters' | 'isAddressRange' | 'keyPrefix'>,
): Route[] {
  const compiled = compileResource(apiKeys, context)
  const { required } = compiled.createDocument as { required?: string[] }
  // The path determines the class.
  const body = { ...compiled.createDocument, required: (required ?? []).filter((name) => name !== 'type') }
  return classes.map(({ path, keyClass, operationId, family }) => {
    const [, type = '', subType = ''] = path.split('/')
    return serve(context, {
      method: 'POST',
      path: `/v1/api-keys${path}`,
      aliases: [`/api-keys${path}`],
      operationId,
      summary:
        keyClass === null
          ? 'Refuses the request: organisation keys have the type `service`'
          : `Creates ${withArticle(`${keyClass} key`)}`,
      tag: apiKeys.tag,
      scope: [`${family}.create`],
      body,
      repeats: { type, 'sub-type': subType },
      answer: compiled.answer,
      audit: { action: 'create', resource_type: apiKeys.object },
      async run(call) {
        if (keyClass !== null) return createDocument(compiled, call, { type: keyClass })
        await call.require([`${family}.create`], null)
        const message = 'path/sub_type: an organisation key must have the type service'
        throw new GatewayError('invalid_body', message, { param: 'path/sub_type' })
      },
    })
  })
}
