/** Pangea: AI Guard and Redact. */
import type { GuardrailPlugin } from '@gateway/contract'
import { pii } from './pii.ts'
import { settings } from './service.ts'
import { textGuard } from './text-guard.ts'

const plugin: GuardrailPlugin = { name: 'pangea', title: 'Pangea', checks: [textGuard, pii], settings }

export default plugin
