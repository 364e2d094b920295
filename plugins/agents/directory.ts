/** Agent servers and their integrations for client requests. */
import type { ServiceContext } from '@gateway/contract'
import {
  createRemoteDirectory,
  type RemoteDirectory,
  type RemotePlace,
} from '@gateway/control-plane/remote-servers'
import { kinds } from '@gateway/domain'

export type { Integration, RemotePlace as Place, Server } from '@gateway/control-plane/remote-servers'
export type Directory = RemoteDirectory<RemotePlace>

export const createDirectory = (context: ServiceContext<'documents' | 'fileDocuments'>): Directory =>
  createRemoteDirectory(context, {
    serverKind: kinds.agentServer,
    integrationKind: kinds.agentIntegration,
    complete: async (place) => place,
  })
