/**
 * `@gateway/plugin-kit`: building blocks for checks that call a vendor's service. JSON Schema is in `/json-schema`,
 * files for browsers in `/assets`.
 */
export { eachText } from './each-text.ts'
export * from './replacement.ts'
export * from './vendor.ts'
