/**
 * `@gateway/plugin-kit`: building blocks for checks that call a vendor's service. JSON Schema is in `/json-schema`,
 * files for browsers in `/assets`.
 */
export { eachText } from './each-text.ts'
export { type Change, isStreaming, type Replacement, replacementOf, replaceTexts } from './replacement.ts'
export {
  address,
  expectOwnKey,
  type Filled,
  jsonOf,
  keyOf,
  type Names,
  nameOf,
  objectsIn,
  parseJson,
  post,
  postForObject,
  type Scope,
  scope,
  secret,
  textOrNull,
  textsOf,
  timeoutOf,
  unreadable,
  urlOf,
} from './vendor.ts'
