/** Prompt templates: Mustache over the strings of a request. */
export { parseTemplate, type Template, TemplateError } from './parse.ts'
export {
  escapeFor,
  type PromptKind,
  type PromptText,
  PromptTextError,
  parsePartialText,
  parsePromptText,
  partialsIn,
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
