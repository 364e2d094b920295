/** The published JSON schema of configs, taken from the checkout by the build. */
declare module 'config-schema' {
  import type { Row } from './api.ts'

  const schema: Row
  export default schema
}
