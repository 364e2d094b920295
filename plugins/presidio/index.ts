/** Microsoft Presidio on a server of one's own: it finds personal data, or replaces it. */
import type { GuardrailPlugin } from '@gateway/contract'
import { analyze } from './analyze.ts'
import { anonymize } from './anonymize.ts'

const plugin: GuardrailPlugin = { name: 'presidio', title: 'Presidio', checks: [analyze, anonymize] }

export default plugin
