/** `@gateway/core/harness`: what `@gateway/testing` uses to load a plugin and run a check as the gateway does. */
export { createCheckInput, createTextInput } from '../guardrails/input.ts'
export { joinTexts, rewriteTexts, textParts } from '../guardrails/texts/text.ts'
export { createFillingValidator, toFaults, type Validator } from '../shared/validate.ts'
export { emptyParts, registerPackage } from './register.ts'
export type { DiscoveryFault } from './registry.ts'
