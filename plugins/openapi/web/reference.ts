/** The API reference: Swagger UI on the gateway's own document, with search over operations and code samples. */
import { languages } from './code-samples.ts'
import { sampleOf } from './sample-of.ts'
import { createSearchField, opsFilter, withoutResult } from './search.ts'
import type { Component, ResponsesProps, System } from './swagger.ts'

const documentUrl = '/v1/openapi.json'

/** Code samples above the responses of an operation. */
const withCodeSamples =
  (spec: object) =>
  (Responses: Component<ResponsesProps>, { React }: System) => {
    const h = React.createElement
    const CodeSamples = ({ path, method }: ResponsesProps) => {
      const [shown, show] = React.useState(0)
      const sample = sampleOf(spec, { path, method, origin: location.origin })
      const tabs = languages.map(([name], index) =>
        h(
          'button',
          {
            key: name,
            type: 'button',
            className: index === shown ? 'tab chosen' : 'tab',
            'aria-pressed': index === shown,
            onClick: () => show(index),
          },
          name,
        ),
      )
      return h(
        'div',
        { className: 'code-samples' },
        h(
          'div',
          { className: 'opblock-section-header' },
          h('h4', null, 'Code sample'),
          h('div', { className: 'tabs' }, tabs),
        ),
        h('pre', { tabIndex: 0 }, h('code', null, languages[shown]?.[1](sample) ?? '')),
      )
    }
    return (props: ResponsesProps) =>
      h('div', null, h(CodeSamples, { path: props.path, method: props.method }), h(Responses, props))
  }

type Operations = Record<string, Record<string, Record<string, unknown>>>

/** Lists every operation once; its description names its other paths. */
function withoutAliases(paths: Operations): Operations {
  const kept: Operations = {}
  for (const [path, item] of Object.entries(paths)) {
    const own = Object.entries(item).filter(([, operation]) => operation['x-alias-of'] === undefined)
    if (own.length > 0) kept[path] = Object.fromEntries(own)
  }
  return kept
}

async function start() {
  const response = await fetch(documentUrl)
  if (!response.ok) throw new Error(`${documentUrl} answered ${response.status}.`)
  const document = (await response.json()) as { paths: Operations }
  const spec = { ...document, paths: withoutAliases(document.paths) }
  globalThis.SwaggerUIBundle({
    dom_id: '#reference',
    spec,
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    // Otherwise the page would load a badge from a public validator.
    validatorUrl: null,
    plugins: [
      (system) => ({
        fn: { opsFilter },
        components: { FilterContainer: createSearchField(system) },
        wrapComponents: { responses: withCodeSamples(spec), operations: withoutResult },
      }),
    ],
  })
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyTheme)
applyTheme()
start().catch((error: unknown) => {
  const place = document.querySelector('#reference')
  if (place !== null)
    place.textContent = `The API reference could not be loaded: ${error instanceof Error ? error.message : String(error)}`
})
