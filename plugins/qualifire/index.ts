/** Qualifire. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'qualifire', title: 'Qualifire', checks: [] }

export default plugin
