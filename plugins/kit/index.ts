/** `@gateway/plugin-kit`: what the checks that call a service share. */
export { eachText } from './each-text.ts'
export * from './replacement.ts'
export * from './vendor.ts'
