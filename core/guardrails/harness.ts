/** `@gateway/core/harness`: used by `@gateway/testing` to load a plugin and run a check as the gateway does. */

export { createFillingValidator, toFaults, type Validator } from '@gateway/validation'
export { type DiscoveryFault, discover, emptyParts, registerPackage } from '../discovery/index.ts'
export { endpointsWith } from '../endpoints/index.ts'
export { createCheckInput, createTextInput, joinTexts, textParts } from './input.ts'
export { rewriteTexts } from './texts/rewrite-texts.ts'
