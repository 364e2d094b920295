/** Providers of the compatible format: one adapter per row of the catalogue. */
import { compatibleProvider } from '@gateway/provider-kit'
import { rows } from './rows/index.ts'

export { type CustomProvider, customProvider } from './custom-provider.ts'

export default rows.map(compatibleProvider)
