/** Headers: those of the gateway in requests and answers, and those that are forwarded. */
export { idHeaders, idMembers, readAgentIds } from './agent-sessions.ts'
export { finalBody, finalFailure } from './agents.ts'
export { checkForwardedName, copyHeaders, ownNames, passHeaders, tellsLimits } from './forwarding.ts'
export { type Claim, claimOf, gatewayKeyOf, presentedOf } from './presented.ts'
export {
  bearerOf,
  collectOwnHeaders,
  type GatewayOptions,
  headerError,
  headerParam,
  type OwnHeaders,
  readGatewayHeaders,
  scrubHeaders,
} from './request-headers.ts'
