/** Pangea. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'pangea', title: 'Pangea', checks: [] }

export default plugin
