/**
 * The parts of Swagger UI's plugin interface that the page uses.
 * https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/
 */

/** An Immutable.js collection, as selectors return it. */
export interface Collection<Item = unknown> {
  readonly size: number
  get(key: string): unknown
  set(key: string, value: unknown): Collection<Item>
  map(change: (item: Item) => Item): Collection<Item>
  filter(keep: (item: Item) => boolean): Collection<Item>
  forEach(visit: (item: Item, key: string) => void): void
}

type Element = object
export type Component<Props> = (props: Props) => Element | null
type Child = Element | string | null | readonly Child[]

interface React {
  createElement<Props>(
    type: string | Component<Props>,
    props: Props | Record<string, unknown> | null,
    ...children: Child[]
  ): Element
  useState<Value>(initial: Value): [Value, (next: Value) => void]
}

export interface System {
  React: React
}

export type TaggedOperations = Collection<Collection>

export interface FilterProps {
  layoutSelectors: { currentFilter(): string | boolean | null }
  layoutActions: { updateFilter(text: string): void; show(thing: string[], shown: boolean): void }
  specSelectors: { taggedOperations(): TaggedOperations }
}

export interface ResponsesProps {
  path: string
  method: string
}

export type OperationsProps = Pick<FilterProps, 'specSelectors'>

type Wrap<Props> = (original: Component<Props>, system: System) => Component<Props>

interface Plugin {
  fn?: { opsFilter(operations: TaggedOperations, phrase: string): TaggedOperations }
  components?: Record<string, Component<FilterProps>>
  wrapComponents?: { responses: Wrap<ResponsesProps>; operations: Wrap<OperationsProps> }
}

interface Options {
  dom_id: string
  spec: object
  plugins: ((system: System) => Plugin)[]
  [option: string]: unknown
}

declare global {
  // The bundle of Swagger UI is loaded as a separate script.
  var SwaggerUIBundle: (options: Options) => void
}
