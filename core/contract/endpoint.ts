/** Endpoint ids, as policies, plugins and logs name them (contract section 6). */

export const inferenceEndpoints = ['chatComplete', 'complete', 'embed', 'imageGenerate', 'rerank'] as const

export type EndpointId = (typeof inferenceEndpoints)[number]

/** Endpoints whose answer can be a stream of events. */
export const streamingEndpoints: readonly EndpointId[] = ['chatComplete', 'complete']
