/** `@gateway/plugin-kit`: what checks are made of that ask a service. */
export { eachText } from './each-text.ts'
export * from './vendor.ts'
