/** `presidio.analyze`: fails on personal data found by a self-hosted Presidio server. See server.ts. */
import type { Check } from '@gateway/contract'
import { textsOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { analyzerOf, type Common, common, reportOf } from './server.ts'

export const analyze: Check<Common> = {
  id: 'analyze',
  title: 'Presidio analyzer',
  description:
    'Fails when the server finds personal data. Each text is sent to the server in a separate call.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters: Type.Object(common, { additionalProperties: false }),
  prepare(parameters) {
    const ask = analyzerOf(parameters)
    return {
      async run(input, io) {
        const analyzed = await ask(textsOf(input, parameters.scope), io)
        return { verdict: analyzed.length === 0, data: reportOf(analyzed) }
      },
    }
  },
}
