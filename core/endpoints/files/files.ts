/**
 * Files: of a provider when the request specifies one, else the gateway's own, which a service stores.
 * https://platform.openai.com/docs/api-reference/files
 */
import { fileAnswer, fileDeletion, fileForm, fileList, fileQuery, fileUpload } from '@gateway/contract/wire'
import { type DeclaredEndpoint, declareEndpoint, type EndpointRoute } from '../declare-endpoint.ts'

type Given = Pick<EndpointRoute, 'method' | 'path' | 'operationId' | 'summary' | 'query' | 'answer' | 'media'>

const route = (given: Given): EndpointRoute => ({ ...given, tag: 'Files', pipeline: 'provider-object' })
const plain = { isMetered: false, isLogged: false, mayCache: () => false }

export const createFile: DeclaredEndpoint = declareEndpoint({
  ...plain,
  id: 'createFile',
  request: fileUpload,
  form: fileForm,
  routes: [
    route({
      method: 'POST',
      path: '/v1/files',
      operationId: 'createFile',
      summary: 'Uploads a file',
      answer: fileAnswer,
      media: { body: ['multipart/form-data'] },
    }),
  ],
})

export const listFiles: DeclaredEndpoint = declareEndpoint({
  ...plain,
  id: 'listFiles',
  routes: [
    route({
      method: 'GET',
      path: '/v1/files',
      operationId: 'listFiles',
      summary: 'Lists files',
      query: fileQuery,
      answer: fileList,
    }),
  ],
})

export const retrieveFile: DeclaredEndpoint = declareEndpoint({
  ...plain,
  id: 'retrieveFile',
  routes: [
    route({
      method: 'GET',
      path: '/v1/files/:file_id',
      operationId: 'retrieveFile',
      summary: 'Returns the metadata of a file',
      answer: fileAnswer,
    }),
  ],
})

export const retrieveFileContent: DeclaredEndpoint = declareEndpoint({
  ...plain,
  id: 'retrieveFileContent',
  routes: [
    route({
      method: 'GET',
      path: '/v1/files/:file_id/content',
      operationId: 'retrieveFileContent',
      summary: 'Downloads the content of a file',
      media: { answer: ['application/octet-stream'] },
    }),
  ],
})

export const deleteFile: DeclaredEndpoint = declareEndpoint({
  ...plain,
  id: 'deleteFile',
  routes: [
    route({
      method: 'DELETE',
      path: '/v1/files/:file_id',
      operationId: 'deleteFile',
      summary: 'Deletes a file',
      answer: fileDeletion,
    }),
  ],
})
