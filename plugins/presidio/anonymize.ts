/** `presidio.anonymize`: replaces personal data found by a self-hosted Presidio server. See server.ts. */
import type { Check } from '@gateway/contract'
import { address, replaceTexts, textsOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { analyzerOf, anonymizerOf, type Common, common, reportOf } from './server.ts'

const parameters = Type.Object(
  { ...common, anonymizerUrl: address('The anonymizer, if it has its own address.') },
  { additionalProperties: false },
)

export const anonymize: Check<Common & { anonymizerUrl?: string }> = {
  id: 'anonymize',
  title: 'Presidio anonymizer',
  description:
    'Replaces personal data by its kind, such as <PERSON>; the verdict is true if every text can be replaced. ' +
    'Each text is sent to the server in a separate call.',
  kind: 'mutator',
  phases: ['before', 'after'],
  parameters,
  prepare({ anonymizerUrl, ...parameters }) {
    const analyze = analyzerOf(parameters)
    const replace = anonymizerOf(anonymizerUrl ?? parameters.url, parameters.timeout)
    return {
      async run(input, io) {
        const analyzed = await analyze(textsOf(input, parameters.scope), io)
        if (analyzed.length === 0) return { verdict: true, data: reportOf(analyzed) }
        return replaceTexts(await replace(analyzed, io), reportOf(analyzed))
      },
    }
  },
}
