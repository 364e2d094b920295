/** Microsoft Presidio on your own server: finds or replaces personal data. */
import type { GuardrailPlugin } from '@gateway/contract'
import { analyze } from './analyze.ts'
import { anonymize } from './anonymize.ts'

const plugin: GuardrailPlugin = { name: 'presidio', title: 'Presidio', checks: [analyze, anonymize] }

export default plugin
