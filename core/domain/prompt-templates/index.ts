/** The grammar of prompt templates: Mustache over the strings of a request. The control plane renders them. */

export { parseTemplate, type Template, type TemplateNode } from './parse.ts'
export {
  type PromptKind,
  type PromptText,
  PromptTextError,
  parseMessages,
  parsePartialText,
  parsePromptText,
  partialFault,
  partialsIn,
  promptKindOf,
  refuseVerbatim,
  splitReference,
  templatesOf,
  variablesIn,
} from './prompt-text.ts'
export { TemplateError } from './template-error.ts'
