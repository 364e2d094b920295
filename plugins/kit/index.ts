/** `@gateway/plugin-kit`: building blocks for checks that call a service. */
export { eachText } from './each-text.ts'
export * from './replacement.ts'
export * from './vendor.ts'
