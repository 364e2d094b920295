/** The published JSON schema of configs, which the build takes from the checkout. */
declare module 'config-schema' {
  import type { Row } from './api.ts'

  const schema: Row
  export default schema
}
