/**
 * The endpoints, one declaration each, and their code: bodies and forms, prompts, translation between formats, model
 * lists, stored responses, descriptions for OpenAPI. Dialect packages add their endpoints (`dialects/`). The list is
 * `endpoint-table.ts`.
 */
export { formBody } from './body/form-body.ts'
export { boundaryOf, type FormField, parseMultipart, withoutIndex } from './body/parse-multipart.ts'
export { runPrompt } from './body/run-prompt.ts'
export { streamForm } from './body/stream-form.ts'
export { checkBody, checkBodyOrPrompt } from './body/validate-body.ts'
export { chat } from './chat.ts'
export { completions } from './completions.ts'
export type { DeclaredEndpoint, EndpointRoute, Pipelines } from './declare-endpoint.ts'
export { embeddings } from './embeddings.ts'
export { endpointsWith } from './endpoint-table.ts'
export { createCatalogue } from './models/catalogue.ts'
export type { IntegrationDraft } from './models/integration-target.ts'
export { tryCredential } from './models/try-credential.ts'
export { describeRoutes } from './openapi.ts'
export { rerank } from './rerank.ts'
export { createResponseStore } from './stored-responses/response-store.ts'
export { saveResponse } from './stored-responses/save-response.ts'
export { unknownResponse } from './stored-responses/serve-stored.ts'
export { toolCallEndpoints } from './tool-call.ts'
export { implementationOf } from './translation/endpoint-of.ts'
export { checkEndpoint, findTranslation } from './translation/find-translation.ts'
export { previewLeftOut } from './translation/preview-left-out.ts'
