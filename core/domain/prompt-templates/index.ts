/** Prompt templates: Mustache over the strings of a request. */

export { parseTemplate, type Template } from './parse.ts'
export {
  type FindPartial,
  type FoundPartial,
  loadPartials,
  PartialError,
  splitReference,
  versionNumber,
} from './partials.ts'
export {
  escapeFor,
  type PromptKind,
  type PromptText,
  PromptTextError,
  parsePartialText,
  parsePromptText,
  partialFault,
  partialsIn,
  promptKindOf,
  refuseVerbatim,
  renderPromptText,
  templatesOf,
  variablesIn,
} from './prompt-text.ts'
export {
  createRendering,
  deepestPartials,
  RenderError,
  type Rendering,
  type RenderOptions,
} from './render.ts'
export { TemplateError } from './template-error.ts'
