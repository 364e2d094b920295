/**
 * The engine of the management API: declares resources, routes and subjects, and serves them with its conventions
 * (rights, audit, paging, slugs, versions, secrets). Other folders import only this file.
 */
export { commitAsSystem } from './audit.ts'
export { type Call, engineNeeds, type ManagementContext, type Viewer } from './call.ts'
export { type CompiledResource, compileResource } from './compiled.ts'
export { bodyObject, createDocument, freeSlug } from './create.ts'
export { checkOrganisation, listAll } from './create-call.ts'
export { conflict, forbidden, invalidQuery, isOfFile, missingScope, notFound } from './errors.ts'
export { escapeHtml, htmlPage } from './html-page.ts'
export { idempotencyMs } from './idempotency.ts'
export { listAnswer, orderOf, type Paging, pagingOf } from './list.ts'
export { namedWorkspace } from './locate.ts'
export { readPage } from './page.ts'
export { type PlainRoute, plainRoute } from './plain-route.ts'
export { baseView, index, isFileDocument, present, toIso } from './present.ts'
export { commaList } from './query.ts'
export { readDocument } from './read.ts'
export { refuseDeclared } from './refuse-declared.ts'
export {
  type AnyResource,
  type DraftOf,
  defineResource,
  type ExtraRoute,
  type Field,
  type Filter,
  type Resource,
  type Write,
} from './resource.ts'
export { routesOf } from './resource-routes.ts'
export { hasOwnScopes } from './rights.ts'
export {
  commaListOf,
  deletedSchema,
  description,
  listSchema,
  nameSchema,
  nullable,
  timestamp,
} from './schemas.ts'
export { openSecrets, sealTogether } from './secrets.ts'
export { serve } from './serve.ts'
export { isId, slugFault, slugSchema, slugsFor } from './slug.ts'
export { defineSubject, type Subject } from './subject.ts'
export { unknownInBody, unknownReference } from './suggest.ts'
export { updateDocument } from './update.ts'
export { answerOne, checkIfMatch, untilUncontested } from './versions.ts'
export { withArticle } from './with-article.ts'
export { writerOf } from './write.ts'
