/** The scopes of this build under the names that the data path uses; the table itself is the contract's. */
export { allScopes as scopes, normaliseScope } from '../../domain/access.ts'
