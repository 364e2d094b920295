/** `@gateway/provider-kit`: what provider packages are made of. */
export { bearer } from './auth/bearer.ts'
export {
  type Auth,
  type AuthOptions,
  addHeaders,
  credentialOf,
  type ExtraHeaders,
} from './auth/credential.ts'
export { type HeaderOptions, header } from './auth/header.ts'
export { none } from './auth/none.ts'
export { type QueryOptions, query } from './auth/query.ts'
export { createTokenCache, type Expiring, type TokenCache } from './auth/token-cache.ts'
export { type CompatibleRow, compatibleProvider } from './compatible-provider.ts'
export { anthropicDialect } from './dialect/anthropic/dialect.ts'
export { anthropicVersion } from './dialect/anthropic/types.ts'
export { compatibleDialect, type EndpointRules } from './dialect/compatible/dialects.ts'
export { compatibleError } from './dialect/compatible/errors.ts'
export { type RerankRules, rerankDialect } from './dialect/compatible/rerank.ts'
export { jsonLines } from './framing/json-lines.ts'
export { type DataUrl, parseDataUrl } from './media/data-url.ts'
export { inlineMedia } from './media/inline-media.ts'
export { type FormFields, multipart } from './multipart.ts'
export { parseEvent } from './parse-event.ts'
