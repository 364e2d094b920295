/** The reason of each check's failure for the denial message: the end of a sentence, without the finding. */
import type { Check, PreparedCheck } from '@gateway/contract'

type Parameters = Readonly<Record<string, unknown>>
type Explanation = (parameters: Parameters) => string

const between = ({ min, max }: { min?: unknown; max?: unknown }): string =>
  [
    ...(typeof min === 'number' ? [`at least ${min}`] : []),
    ...(typeof max === 'number' ? [`at most ${max}`] : []),
  ].join(' and ')

const counted =
  (what: string): Explanation =>
  ({ minWords, maxWords, minSentences, maxSentences, minCharacters, maxCharacters, not }) => {
    const range = between({
      min: minWords ?? minSentences ?? minCharacters,
      max: maxWords ?? maxSentences ?? maxCharacters,
    })
    return `it must ${not === true ? 'not ' : ''}have ${range === '' ? 'another number of' : range} ${what}`
  }

/** @param required the requirement, which `not` reverses */
const must =
  (required: string, forbidden: string): Explanation =>
  ({ not }) =>
    not === true ? forbidden : required

const explanations: Readonly<Record<string, Explanation>> = {
  regexMatch: must('it does not match a required pattern', 'it matches a disallowed pattern'),
  contains: ({ operator }) =>
    operator === 'none' ? 'it contains a disallowed word' : 'it does not contain the required words',
  endsWith: must('it does not have the required ending', 'it has a disallowed ending'),
  wordCount: counted('words'),
  sentenceCount: counted('sentences'),
  characterCount: counted('characters'),
  alllowercase: must('it is not in lower case', 'it is in lower case'),
  alluppercase: must('it is not in upper case', 'it is in upper case'),
  notNull: must('it is empty', 'it is not empty'),
  jsonSchema: must('it contains no JSON that matches the schema', 'it contains JSON that matches the schema'),
  jsonKeys: ({ operator }) =>
    operator === 'none' ? 'its JSON has a disallowed key' : 'its JSON does not have the required keys',
  containsCode: must('it contains no code of the required kind', 'it contains disallowed code'),
  validUrls: must('it contains a URL that is not valid', 'it contains a valid URL'),
  language: must('it is not in an allowed language', 'it is in a disallowed language'),
  secrets: () => 'it contains a secret, such as an API key or a private key',
  pii: () => 'it contains personal data',
  promptInjection: () => 'it looks like a prompt injection',
  modelWhitelist: () => 'the model is not allowed',
  modelRules: () => 'the model is not allowed for this request',
  allowedRequestTypes: () => 'requests of this type are not allowed',
  requestParametersCheck: () => 'a parameter of the request is not allowed',
  requiredMetadataKeys: () => 'required metadata is missing',
  requiredMetadataKeyPairs: () => 'required metadata is missing or has another value',
  jwt: () => 'the token is missing or not valid',
}

/** The check, with the reason for its failures. */
export function explained<Given, Settings>(check: Check<Given, Settings>): Check<Given, Settings> {
  const explain = explanations[check.id]
  if (explain === undefined) return check
  return {
    ...check,
    prepare(parameters, ...rest): PreparedCheck {
      const prepared = check.prepare(parameters, ...rest)
      return { ...prepared, explanation: explain(parameters as Parameters) }
    },
  }
}
