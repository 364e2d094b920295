/** Presidio. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'presidio', title: 'Presidio', checks: [] }

export default plugin
