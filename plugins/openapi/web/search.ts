/** Search over all operations: every word must occur in the method, the path, the summary, the id or the tag. */
import type {
  Collection,
  Component,
  FilterProps,
  OperationsProps,
  System,
  TaggedOperations,
} from './swagger.ts'

function textOf(entry: Collection): string {
  const operation = entry.get('operation') as Collection
  const tags = operation.get('tags') as { toArray?(): string[] } | undefined
  return [
    entry.get('method'),
    entry.get('path'),
    operation.get('summary'),
    operation.get('operationId'),
    ...(tags?.toArray?.() ?? []),
  ]
    .join(' ')
    .toLowerCase()
}

const wordsOf = (phrase: string) => phrase.toLowerCase().split(/\s+/).filter(Boolean)

export function opsFilter(tagged: TaggedOperations, phrase: string): TaggedOperations {
  const words = wordsOf(phrase)
  return tagged
    .map((tag) => {
      const operations = tag.get('operations') as Collection<Collection>
      const fitting = operations.filter((entry) => {
        const text = textOf(entry)
        return words.every((word) => text.includes(word))
      })
      return tag.set('operations', fitting)
    })
    .filter((tag) => (tag.get('operations') as Collection).size > 0)
}

/** An empty operation list with a message: Swagger UI would say that the document has no operations. */
export const withoutResult =
  (Operations: Component<OperationsProps>, { React }: System) =>
  (props: OperationsProps) =>
    props.specSelectors.taggedOperations().size > 0
      ? React.createElement(Operations, props)
      : React.createElement('p', { role: 'status' }, 'No operation matches the search.')

/** The search field, which replaces Swagger UI's, because that searches only tags. */
export const createSearchField =
  ({ React }: System) =>
  ({ layoutSelectors, layoutActions, specSelectors }: FilterProps) => {
    const current = layoutSelectors.currentFilter()
    const onChange = ({ target }: { target: { value: string } }) => {
      layoutActions.updateFilter(target.value)
      const isSearch = wordsOf(target.value).length > 0
      opsFilter(specSelectors.taggedOperations(), target.value).forEach((_, tag) => {
        layoutActions.show(['operations-tag', tag], isSearch)
      })
    }
    return React.createElement(
      'div',
      { className: 'search wrapper' },
      React.createElement('input', {
        type: 'search',
        placeholder: 'Search operations: chat, api-keys rotate, POST prompts …',
        'aria-label': 'Search operations',
        value: typeof current === 'string' && current !== 'true' ? current : '',
        onChange,
      }),
    )
  }
